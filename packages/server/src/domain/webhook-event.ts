import type { EventWebhook, WebhookField } from './event.ts'
import type { Webhook } from './webhook.ts'

/** The data of an event about a webhook. */
export function toEventWebhook(webhook: Webhook, changed: WebhookField[] = []): EventWebhook {
  const { id, description, types, createdAt, updatedAt } = webhook
  const { origin } = new URL(webhook.url)
  const disabledReason = webhook.disabled?.reason ?? null
  return { id, origin, description, types, disabledReason, createdAt, updatedAt, changed }
}

/** Which properties differ. */
export function changedFields(before: Webhook, after: Webhook): WebhookField[] {
  const [old, current] = [valuesOf(before), valuesOf(after)]
  const fields = Object.keys(old) as WebhookField[]
  return fields.filter((field) => old[field] !== current[field])
}

function valuesOf(webhook: Webhook): Record<WebhookField, string | boolean> {
  const { url, description, types, disabled, secret } = webhook
  return {
    url,
    description,
    types: JSON.stringify(types),
    enabled: disabled === null,
    secret,
  }
}
