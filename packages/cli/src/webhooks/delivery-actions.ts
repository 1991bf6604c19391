import type { Delivery } from '@stowage/client'
import { withClient } from '../connection/with-client.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { writeData, writeItem } from '../output.ts'
import { readChoice, readCount, requireArguments, UsageError } from '../usage.ts'
import { reportRemaining, writeList } from '../write-list.ts'
import { deliveryTable, deliveryText } from './delivery-text.ts'
import type { WebhookValues } from './read-webhook-options.ts'

const STATUSES = ['pending', 'succeeded', 'failed'] as const
/** The longest page of deliveries. */
const MAX_PAGE_SIZE = 100

/** Lists the deliveries of a webhook, or shows one of them if its ID is passed. */
export async function listOrShowDeliveries(
  values: WebhookValues,
  positionals: string[],
): Promise<number> {
  const [webhookId = '', id, ...more] = requireArguments(positionals, 'webhook ID')
  if (more.length > 0) throw new UsageError(`Unexpected argument ${more[0]}.`)
  const { all = false, json = false } = values
  const limit = readCount(values.limit, '--limit')
  if (all && limit !== undefined) throw new UsageError('Pass either --limit or --all.')
  const status = readChoice(values.status, '--status', STATUSES)
  return withClient(values, async (client) => {
    if (id !== undefined) {
      const delivery = await client.delivery(webhookId, id)
      writeData(delivery, { json, text: deliveryText(delivery) })
      return 0
    }
    const list = (pageSize: number) =>
      client.deliveries(webhookId, omitUndefined({ status, limit: pageSize }))
    const counts = await writeList<Delivery>(list, {
      limit: all ? undefined : (limit ?? 25),
      pageSize: MAX_PAGE_SIZE,
      json,
      text: deliveryTable,
    })
    if (!json) reportRemaining(counts)
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
