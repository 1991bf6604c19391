import { MAX_WEBHOOKS } from '@stowage/protocol'
import { sealWebhookSecret } from '../crypto/secret-key.ts'
import type { NewWebhook, WebhookChange } from '../database/event-data.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import { isPrivateUrl } from '../domain/urls.ts'
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES, type WebhookState } from '../domain/webhook.ts'
import type { AccountContext } from './context.ts'
import { createOnce, type Idempotency } from './idempotency.ts'
import { webhookNotFound } from './refusals.ts'

interface WebhookDetails {
  url: string
  description: string
  types: string[] | null
}

/** The webhook receives the events that are recorded after its creation. Returns its secret unencrypted. */
export async function createWebhook(
  context: AccountContext,
  details: WebhookDetails,
  idempotency?: Idempotency,
): Promise<{ webhook: WebhookState; isRepeated: boolean }> {
  checkTarget(context, details.url)
  const { data, secretKey, accountId } = context
  const id = context.newId()
  const newWebhook = (random: Uint8Array): NewWebhook => {
    const secret = sealWebhookSecret(secretKey, { id, accountId }, formatWebhookSecret(random))
    return { ...details, id, secret, createdAt: context.clock() }
  }
  const { result: webhook, isRepeated } = await createOnce(
    context,
    { id, idempotency },
    {
      hasSecret: true,
      add: (random) => data.addWebhook(newWebhook(random), MAX_WEBHOOKS),
      addOnce: (once, random) => data.addWebhookOnce(once, newWebhook(random), MAX_WEBHOOKS),
      toResult(added, random): WebhookState {
        if (added !== undefined) return { ...added, secret: formatWebhookSecret(random) }
        throw new ServiceError(
          'too_many_webhooks',
          `The account has ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete one that you do not need.`,
        )
      },
      // The secret that it was created with, even if it was replaced since: the first response may have been lost.
      async find(webhookId, random) {
        const found = await data.findWebhook(webhookId)
        return found && { ...found, secret: formatWebhookSecret(random) }
      },
    },
  )
  return { webhook, isRepeated }
}

/** Fields that are not given keep their values. */
export async function changeWebhook(
  context: AccountContext,
  id: string,
  change: WebhookChange,
): Promise<WebhookState> {
  if (change.url !== undefined) checkTarget(context, change.url)
  const webhook = await context.data.changeWebhook(id, change, context.clock())
  if (webhook === undefined) throw webhookNotFound()
  return webhook
}

export async function getWebhook(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<WebhookState> {
  const webhook = await data.findWebhook(id)
  if (webhook === undefined) throw webhookNotFound()
  return webhook
}

/** All webhooks of the account, oldest first. */
export function listWebhooks({ data }: Pick<AccountContext, 'data'>): Promise<WebhookState[]> {
  return data.listWebhooks()
}

/** Also removes its deliveries. */
export async function deleteWebhook(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<void> {
  if (!(await data.deleteWebhook(id))) throw webhookNotFound()
}

/** How long a replaced secret still signs requests. */
const REPLACED_SECRET_VALID_MS = 24 * 3_600_000

/**
 * More than one, because the response of a rotation can be lost: the receiver’s secret must stay valid if the rotation
 * is repeated.
 */
const MAX_PREVIOUS_SECRETS = 4

/** Replaces the secret, and returns it unencrypted. Until the replaced one expires, requests are signed with both. */
export async function rotateSecret(context: AccountContext, id: string): Promise<WebhookState> {
  const { secretKey, accountId } = context
  const now = context.clock()
  const secret = formatWebhookSecret(context.randomBytes(WEBHOOK_SECRET_BYTES))
  const webhook = await context.data.rotateSecret(id, {
    secret: sealWebhookSecret(secretKey, { id, accountId }, secret),
    now,
    validUntil: new Date(now.getTime() + REPLACED_SECRET_VALID_MS),
    maxPrevious: MAX_PREVIOUS_SECRETS,
  })
  if (webhook === undefined) throw webhookNotFound()
  return { ...webhook, secret }
}

/** Refuses URLs that no request would be sent to. The IP addresses of host names are checked when a request is sent. */
function checkTarget({ settings }: Pick<AccountContext, 'settings'>, url: string): void {
  if (settings.webhookTargets === 'any' || !isPrivateUrl(url)) return
  throw invalid({
    url: ['must not be a private, loopback or link-local address; see STOWAGE_WEBHOOK_TARGETS'],
  })
}
