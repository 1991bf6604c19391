import type { WebhookRequest } from '@stowage/client'
import { withClient } from '../connection/with-client.ts'
import { writeData, writeMessage } from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../text/sanitize.ts'
import { refuseArguments, requireOneArgument, UsageError } from '../usage.ts'
import { listOrShowDeliveries, redeliver } from './delivery-actions.ts'
import { outcomeOf } from './delivery-text.ts'
import type { WebhookValues } from './read-webhook-options.ts'
import { webhookTable, webhookText } from './webhook-text.ts'

type Action = (values: WebhookValues, positionals: string[]) => Promise<number>

/** The subcommands, by their names. */
export const ACTIONS = {
  ls: async (values, positionals) => {
    refuseArguments(positionals)
    return withClient(values, async (client) => {
      const list = await client.webhooks()
      writeData(list, { json: values.json === true, text: webhookTable(list) })
      if (list.length === 0 && !values.json) writeMessage('No results.')
      return 0
    })
  },

  add: async (values, positionals) => {
    const url = requireOneArgument(positionals, 'URL')
    const { description = '', json = false } = values
    // The types are not checked here: the service refuses unknown ones, and a newer service may have more.
    const types = (values.type ?? null) as NonNullable<WebhookRequest['types']> | null
    return withClient(values, async (client) => {
      const webhook = await client.createWebhook({ url, types, description })
      writeMessage(`Webhook ${webhook.id}. The secret is shown only this time:`)
      writeData(webhook, { json, text: webhook.secret })
      return 0
    })
  },

  show: async (values, positionals) => {
    const id = requireOneArgument(positionals, 'webhook ID')
    return withClient(values, async (client) => {
      const webhook = await client.webhook(id)
      writeData(webhook, { json: values.json === true, text: webhookText(webhook) })
      return 0
    })
  },

  enable: (values, positionals) => change(values, positionals, true),
  disable: (values, positionals) => change(values, positionals, false),

  rotate: async (values, positionals) => {
    const id = requireOneArgument(positionals, 'webhook ID')
    return withClient(values, async (client) => {
      const webhook = await client.rotateWebhookSecret(id)
      const until = webhook.previous_secret_valid_until
      writeMessage(
        `New secret of webhook ${id}. The previous one is valid until ${until}. The secret is shown only this time:`,
      )
      writeData(webhook, { json: values.json === true, text: webhook.secret })
      return 0
    })
  },

  rm: async ({ yes = false, json = false, ...values }, positionals) => {
    const id = requireOneArgument(positionals, 'webhook ID')
    if (!yes && !isInteractive()) {
      throw new UsageError('Not interactive. Pass --yes to delete the webhook without asking.')
    }
    return withClient(values, async (client) => {
      const { url } = await client.webhook(id)
      if (!yes && !(await confirm(`Delete the webhook ${sanitize(url)} and its deliveries?`))) {
        writeMessage('Nothing was deleted.')
        return 1
      }
      await client.deleteWebhook(id)
      writeData({ id, deleted: true }, { json, text: `${id}  ${sanitize(url)} deleted` })
      return 0
    })
  },

  ping: async (values, positionals) => {
    const id = requireOneArgument(positionals, 'webhook ID')
    return withClient(values, async (client) => {
      const delivery = await client.pingWebhook(id)
      writeData(delivery, { json: values.json === true, text: outcomeOf(delivery) })
      return delivery.status === 'succeeded' ? 0 : 1
    })
  },

  deliveries: listOrShowDeliveries,
  redeliver,
} as const satisfies Record<string, Action>

async function change(
  values: WebhookValues,
  positionals: string[],
  enabled: boolean,
): Promise<number> {
  const id = requireOneArgument(positionals, 'webhook ID')
  return withClient(values, async (client) => {
    const webhook = await client.changeWebhook(id, { enabled })
    const text = `${id}  ${sanitize(webhook.url)} ${enabled ? 'enabled' : 'disabled'}`
    writeData(webhook, { json: values.json === true, text })
    return 0
  })
}
