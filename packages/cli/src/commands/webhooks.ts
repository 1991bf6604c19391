import type {
  Delivery,
  DeliveryAttempt,
  DeliveryWithBody,
  Webhook,
  WebhookRequest,
} from '@stowage/client'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import {
  counted,
  formatMinute,
  tableWidth,
  writeData,
  writeItem,
  writeList,
  writeMessage,
} from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Column, table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readChoice,
  readLimit,
  readOptions,
  refuseArguments,
  requireArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  type: { type: 'string', multiple: true },
  description: { type: 'string' },
  status: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const readWebhookOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
type WebhookValues = ReturnType<typeof readWebhookOptions>['values']

export const webhooks: Command = {
  help: `stowage webhooks: send the events of the account to your own endpoints

Usage:
  stowage webhooks ls
  stowage webhooks add URL [--type TYPE]… [--description TEXT]
  stowage webhooks show ID
  stowage webhooks enable|disable ID
  stowage webhooks rotate ID
  stowage webhooks rm ID [--yes]
  stowage webhooks ping ID
  stowage webhooks deliveries ID [DELIVERY] [--status STATUS] [--limit N | --all]
  stowage webhooks redeliver ID DELIVERY…

  --type        send only events of this type, such as asset.ready; can be repeated
  --description what the webhook is for
  --status      only deliveries that are pending, succeeded or failed
  -n, --limit   the maximum number of deliveries (default: 25)
  --all         all deliveries
  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        JSON instead of text

The commands need a key with the scope manage. The secret is shown only once, by add and rotate:
your endpoint verifies the signature of each request with it. After rotate, requests are signed with
both secrets for 24 hours. ping sends a test request, and exits with 1 if the response is not 2xx. A
webhook that failed for 3 days is disabled: fix the endpoint, then run stowage webhooks enable.
list is an alias of ls.

Examples:
  stowage webhooks add https://shop.example/hooks --type asset.ready --type asset.deleted
  stowage webhooks deliveries 01981d2c-5a7e-7d42-9e5f-2a3b4c5d6e7f --status failed
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readWebhookOptions(commandLine)
    const name = action === 'list' ? 'ls' : action
    if (name !== undefined && Object.hasOwn(ACTIONS, name)) {
      return ACTIONS[name as keyof typeof ACTIONS](values, positionals)
    }
    throw new UsageError(
      action === undefined
        ? `Pass ${Object.keys(ACTIONS).join(', ')}.`
        : `Unknown command webhooks ${action}.`,
    )
  },
}

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

const STATUSES = ['pending', 'succeeded', 'failed'] as const
/** The longest page of deliveries. */
const MAX_PAGE_SIZE = 100

/** Lists the deliveries of a webhook, or shows one of them if its ID is passed. */
async function listOrShowDeliveries(values: WebhookValues, positionals: string[]): Promise<number> {
  const [webhookId = '', id, ...more] = requireArguments(positionals, 'webhook ID')
  if (more.length > 0) throw new UsageError(`Unexpected argument ${more[0]}.`)
  const { json = false } = values
  const limit = readLimit(values)
  const status = readChoice(values.status, '--status', STATUSES)
  return withClient(values, async (client) => {
    if (id !== undefined) {
      const delivery = await client.delivery(webhookId, id)
      writeData(delivery, { json, text: deliveryText(delivery) })
      return 0
    }
    const list = (pageSize: number) =>
      client.deliveries(webhookId, omitUndefined({ status, limit: pageSize }))
    await writeList<Delivery>(list, {
      limit,
      pageSize: MAX_PAGE_SIZE,
      json,
      text: deliveryTable,
    })
    return 0
  })
}

export async function redeliver(values: WebhookValues, positionals: string[]): Promise<number> {
  const [webhookId = '', ...ids] = requireArguments(positionals, 'webhook ID')
  requireArguments(ids, 'delivery ID')
  return withClient(values, async (client) => {
    for (const id of ids) {
      const delivery = await client.redeliver(webhookId, id)
      writeItem(delivery, { json: values.json === true, text: `${id}  will be sent again` })
    }
    return 0
  })
}

const WEBHOOK_COLUMNS: Column[] = [
  { head: 'ID' },
  { head: 'URL', minWidth: 20 },
  { head: 'STATE' },
  { head: 'PENDING', align: 'right', dropOrder: 2 },
  { head: 'TYPES', minWidth: 8, dropOrder: 3 },
  { head: 'CREATED', dropOrder: 4 },
]

function webhookTable(list: Webhook[]): string {
  return table(
    WEBHOOK_COLUMNS,
    list.map((webhook) => [
      webhook.id,
      webhook.url,
      stateOf(webhook),
      String(webhook.pending),
      webhook.types?.join(', ') ?? 'all',
      formatMinute(webhook.created_at),
    ]),
    { columns: tableWidth() },
  )
}

function webhookText(webhook: Webhook): string {
  const details: [string, string | null][] = [
    ['id', webhook.id],
    ['description', webhook.description || null],
    ['state', stateOf(webhook)],
    ['disabled', webhook.disabled_at],
    ['failing', webhook.failing_since && `since ${webhook.failing_since}`],
    [
      'missed',
      webhook.missed_at && `${counted(webhook.missed_events, 'event')}, last ${webhook.missed_at}`,
    ],
    ['pending', counted(webhook.pending, 'delivery', 'deliveries')],
    ['types', webhook.types?.join(', ') ?? 'all'],
    [
      'old secret',
      webhook.previous_secret_valid_until && `valid until ${webhook.previous_secret_valid_until}`,
    ],
    ['created', webhook.created_at],
  ]
  const lines = details.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(13)}${sanitize(value)}`],
  )
  return [sanitize(webhook.url), ...lines].join('\n')
}

const REASONS = {
  manual: 'disabled',
  failing: 'disabled after 3 days of failures',
  gone: 'disabled: the endpoint returned 410',
}

function stateOf({ disabled_reason, failing_since }: Webhook): string {
  if (disabled_reason !== null) return REASONS[disabled_reason]
  return failing_since === null ? 'enabled' : 'failing'
}

const DELIVERY_COLUMNS: Column[] = [
  { head: 'ID' },
  { head: 'TYPE' },
  { head: 'STATUS' },
  { head: 'LAST RESPONSE', minWidth: 12, dropOrder: 2 },
  { head: 'CREATED', dropOrder: 4 },
  { head: 'NEXT ATTEMPT', dropOrder: 3 },
]

function deliveryTable(list: Delivery[]): string {
  return table(
    DELIVERY_COLUMNS,
    list.map((delivery) => {
      const last = delivery.attempts.at(-1)
      return [
        delivery.id,
        delivery.type,
        delivery.status,
        last ? responseOf(last) : '',
        formatMinute(delivery.created_at),
        delivery.next_attempt_at ? formatMinute(delivery.next_attempt_at) : '',
      ]
    }),
    { columns: tableWidth() },
  )
}

/** A delivery with all of its attempts and its body. */
function deliveryText(delivery: DeliveryWithBody): string {
  const attempts = delivery.attempts.map((attempt) => {
    const response = attempt.response ? `\n    ${sanitize(attempt.response)}` : ''
    return `  ${attempt.attempted_at}  ${responseOf(attempt)}${response}`
  })
  const body = delivery.body ?? 'The event is no longer kept, so the body cannot be shown.'
  return [`${delivery.id}  ${outcomeOf(delivery)}`, ...attempts, '', sanitize(body)].join('\n')
}

/** Such as `ping succeeded: HTTP 200 in 85 ms`. */
export function outcomeOf({ type, status, attempts }: Delivery): string {
  const last = attempts.at(-1)
  return `${sanitize(type)} ${status}${last ? `: ${responseOf(last)}` : ''}`
}

function responseOf({ status, error, duration_ms }: DeliveryAttempt): string {
  if (status === null) return `${sanitize(error ?? 'no response')} (${duration_ms} ms)`
  return `HTTP ${status} in ${duration_ms} ms`
}
