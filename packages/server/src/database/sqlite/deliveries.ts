import { rowRangeOf } from '../../domain/paging.ts'
import type { Delivery } from '../../domain/webhook.ts'
import type { Rows } from '../account-data.ts'
import type { AccountWebhookData, ClaimedDelivery, DeliveryQuery } from '../webhook-data.ts'
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  toClaimedDelivery,
  toDelivery,
  toWebhook,
  type WebhookRow,
  writeAttempts,
} from '../webhook-rows.ts'
import type { Connection } from './statement.ts'
import { prepareWebhooks } from './webhooks.ts'

/** Deliveries are reached only through a webhook of the account. */
const OF_WEBHOOK = `webhook_id = (select id from webhooks where account_id = :account and id = :webhook_id)`

/** An earlier version did not store the time. */
const EVENT_TIME = `coalesce(event_at, (
  select created_at from events where account_id = :account and id = event_id))`

type PingArguments = Parameters<AccountWebhookData['addPing']>
type Imported = Parameters<AccountWebhookData['importWebhooks']>[0]

/** The log of the deliveries of an account. */
export function prepareDeliveries(connection: Connection) {
  const { prepare } = connection
  const { importWebhook } = prepareWebhooks(connection)
  const byId = prepare<DeliveryRow>(
    `select ${DELIVERY_COLUMNS}, ${EVENT_TIME} as event_at, body from deliveries where ${OF_WEBHOOK} and id = :id`,
  )
  const isForgotten = prepare(
    `select 1 from deliveries d where id = :id and body = '' and not exists (
       select 1 from events e where e.account_id = :account and e.id = d.event_id)`,
  )
  const restart = prepare(
    `update deliveries set status = 'pending', due_at = :now, claim_ends_at = null, failures = 0
     where id = :id and not (status = 'pending' and coalesce(claim_ends_at, 0) > :now)`,
  )
  const webhookById = prepare<WebhookRow>(
    'select * from webhooks where account_id = :account and id = :id',
  )
  const claims = prepare<{ count: number }>(
    `select count(*) as count from deliveries
     where webhook_id = :webhook_id and claim_ends_at is not null and claim_ends_at > :now`,
  )
  const insertClaimed = prepare<DeliveryRow>(
    `insert into deliveries (id, webhook_id, type, body, status, created_at, due_at, claim_ends_at, claims)
     values (:id, :webhook_id, :type, :body, 'pending', :created_at, :until, :until, 1) returning *`,
  )
  const importOne = prepare(
    `insert into deliveries (id, webhook_id, event_id, event_at, type, body, status, created_at, due_at,
       failures, attempts)
     values (:id, :webhook_id, :event_id, :event_at, :type, :body, :status, :created_at, :due_at, :failures, :attempts)
     on conflict do nothing`,
  )

  function findDelivery(account: string, webhookId: string, id: string): Delivery | undefined {
    const row = byId.get({ account, webhook_id: webhookId, id })
    return row && toDelivery(row)
  }

  return {
    findDelivery,

    listDeliveries(account: string, webhookId: string, query: DeliveryQuery): Rows<Delivery> {
      const { status, after } = query
      const filtered = status === undefined ? OF_WEBHOOK : `${OF_WEBHOOK} and status = :status`
      const parameters = { account, webhook_id: webhookId, ...(status && { status }) }
      const count = prepare<{ total: number }>(
        `select count(*) as total from deliveries where ${filtered}`,
      )
      const total = count.get(parameters)?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const page = prepare<DeliveryRow>(
        `select ${DELIVERY_COLUMNS}, ${EVENT_TIME} as event_at from deliveries
         where ${filtered} ${after === undefined ? '' : 'and id < :after'}
         order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ ...parameters, ...cursor, limit, offset }).map(toDelivery)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },

    redeliver(account: string, webhookId: string, id: string): Delivery | 'forgotten' | undefined {
      const delivery = findDelivery(account, webhookId, id)
      if (delivery === undefined) return undefined
      if (isForgotten.get({ account, id }) !== undefined) return 'forgotten'
      restart.run({ id, now: Date.now() })
      return findDelivery(account, webhookId, id)
    },

    addPing(
      account: string,
      ...[delivery, claim]: PingArguments
    ): ClaimedDelivery | 'busy' | undefined {
      const { webhookId: webhook_id, claimForMs, maxClaims } = claim
      const now = Date.now()
      const webhook = webhookById.get({ account, id: webhook_id })
      if (webhook === undefined) return undefined
      const running = claims.get({ webhook_id, now })?.count ?? 0
      if (running >= maxClaims) return 'busy'
      const row = insertClaimed.get({
        id: delivery.id,
        webhook_id,
        type: delivery.type,
        body: delivery.body,
        created_at: delivery.createdAt.getTime(),
        until: now + claimForMs,
      })
      if (row === undefined) return undefined
      const claimed = { event: undefined, claimedAt: new Date(now) }
      return toClaimedDelivery(toWebhook(webhook), row, claimed)
    },

    importWebhooks(account: string, { webhooks, deliveries }: Imported): void {
      for (const webhook of webhooks) importWebhook(account, webhook)
      for (const delivery of deliveries) {
        importOne.run({
          id: delivery.id,
          webhook_id: delivery.webhookId,
          event_id: delivery.eventId,
          event_at: delivery.eventAt?.getTime() ?? null,
          type: delivery.type,
          body: delivery.body,
          status: delivery.status,
          created_at: delivery.createdAt.getTime(),
          due_at: delivery.dueAt?.getTime() ?? null,
          failures: delivery.failures,
          attempts: writeAttempts(delivery.attempts),
        })
      }
    },
  }
}
