import { changedFields, toEventWebhook } from '../../domain/event.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { Delivery, ListedDelivery, Webhook, WebhookState } from '../../domain/webhook.ts'
import type { Rows } from '../account-data.ts'
import type { AccountWebhookData, ClaimedDelivery, DeliveryQuery } from '../event-data.ts'
import {
  changedColumns,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type ListedDeliveryRow,
  previousSecretsAfter,
  toClaimedDelivery,
  toDeliveryColumns,
  toListedDelivery,
  toWebhook,
  toWebhookColumns,
  type WebhookRow,
  writeTypes,
} from '../shared/webhook-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { type Connection, encode } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { STATEMENTS } from './rows.ts'

type Methods = Pick<AccountWebhookData, 'addWebhook' | 'changeWebhook' | 'rotateSecret'>
type Arguments<Name extends keyof Methods> = Parameters<Methods[Name]>

/** The webhooks of an account. */
export function prepareWebhooks(connection: Connection) {
  const { prepare, transaction, execute } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  // The next event is `webhook.created` of this webhook, which the webhook itself does not receive.
  const insert = prepare(
    `insert into webhooks (id, account_id, url, description, types, secret, previous_secrets, last_event,
       created_at, updated_at)
     select :id, id, :url, :description, :types, :secret, '[]', last_event + 1, :created_at, :created_at
     from accounts where id = :account
       and (select count(*) from webhooks where account_id = :account) < :max`,
  )
  const update = prepare(
    `update webhooks set url = :url, description = :description, types = :types, updated_at = :updated_at,
       disabled_at = :disabled_at, disabled_reason = :disabled_reason, failing_since = :failing_since
     where account_id = :account and id = :id`,
  )
  const byId = prepare<WebhookRow>(
    'select * from webhooks where account_id = :account and id = :id',
  )
  const rotate = prepare(
    `update webhooks set secret = :secret, previous_secrets = :previous, updated_at = :now
     where account_id = :account and id = :id`,
  )
  const remove = prepare<WebhookRow>(
    'delete from webhooks where account_id = :account and id = :id returning *',
  )
  const findWebhook = (account: string, id: string) =>
    execute(STATEMENTS.findWebhook, { account, id })

  /** Records how a webhook differs from its earlier state. Returns its new state. */
  function recordChange(writer: Writer, before: Webhook): WebhookState | undefined {
    const webhook = findWebhook(writer.account, before.id)
    const changed = webhook ? changedFields(before, webhook) : []
    if (webhook && changed.length > 0) {
      recordEvent(writer, 'webhook.updated', toEventWebhook(webhook, changed))
    }
    return webhook
  }

  return {
    addWebhook(writer: Writer, ...[webhook, max]: Arguments<'addWebhook'>) {
      const { account } = writer
      const { id, url, description, types, secret, createdAt } = webhook
      const values = { id, url, description, types: writeTypes(types), secret }
      return transaction(() => {
        insert.run({ ...values, account, created_at: createdAt.getTime(), max })
        const added = findWebhook(account, id)
        if (added !== undefined) recordEvent(writer, 'webhook.created', toEventWebhook(added))
        return added
      })
    },

    changeWebhook(writer: Writer, ...[id, change, now]: Arguments<'changeWebhook'>) {
      const { account } = writer
      return transaction(() => {
        const webhook = findWebhook(account, id)
        if (webhook === undefined) return undefined
        update.run(encode({ account, id, ...changedColumns(webhook, change, now) }))
        return recordChange(writer, webhook)
      })
    },

    rotateSecret(writer: Writer, ...[id, rotation]: Arguments<'rotateSecret'>) {
      const { account } = writer
      return transaction(() => {
        const row = byId.get({ account, id })
        if (row === undefined) return undefined
        const previous = previousSecretsAfter(row, rotation)
        rotate.run({ account, id, secret: rotation.secret, previous, now: rotation.now.getTime() })
        return recordChange(writer, toWebhook(row))
      })
    },

    deleteWebhook(writer: Writer, id: string): boolean {
      return transaction(() => {
        const row = remove.get({ account: writer.account, id })
        if (row === undefined) return false
        recordEvent(writer, 'webhook.deleted', toEventWebhook(toWebhook(row)))
        return true
      })
    },
  }
}

/** Deliveries are reached only through a webhook of the account. */
const OF_WEBHOOK = `webhook_id = (select id from webhooks where account_id = :account and id = :webhook_id)`

type PingArguments = Parameters<AccountWebhookData['addPing']>
type Imported = Parameters<AccountWebhookData['importWebhooks']>[0]

/** The log of the deliveries of an account. */
export function prepareDeliveries(connection: Connection) {
  const { prepare, execute } = connection
  const isForgotten = prepare(
    `select 1 from deliveries d where id = :id and body is null and not exists (
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
  const insertWebhook = prepare(
    `insert into webhooks (id, account_id, url, description, types, secret, previous_secrets, last_event,
       created_at, updated_at, disabled_at, disabled_reason, failing_since, missed_events, missed_at)
     values (:id, :account_id, :url, :description, :types, :secret, :previous_secrets, :last_event,
       :created_at, :updated_at, :disabled_at, :disabled_reason, :failing_since, :missed_events, :missed_at)
     on conflict (id) do nothing`,
  )
  const insertDelivery = prepare(
    `insert into deliveries (id, webhook_id, event_id, event_at, type, body, status, created_at, due_at,
       failures, attempts)
     values (:id, :webhook_id, :event_id, :event_at, :type, :body, :status, :created_at, :due_at, :failures, :attempts)
     on conflict do nothing`,
  )

  return {
    listDeliveries(
      { account }: Writer,
      webhookId: string,
      query: DeliveryQuery,
    ): Rows<ListedDelivery> {
      const { status, after } = query
      const filtered = status === undefined ? OF_WEBHOOK : `${OF_WEBHOOK} and status = :status`
      const parameters = { account, webhook_id: webhookId, ...(status && { status }) }
      const count = prepare<{ total: number }>(
        `select count(*) as total from deliveries where ${filtered}`,
      )
      const total = count.get(parameters)?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const page = prepare<ListedDeliveryRow>(
        `select ${DELIVERY_COLUMNS} from deliveries
         where ${filtered} ${after === undefined ? '' : 'and id < :after'}
         order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ ...parameters, ...cursor, limit, offset }).map(toListedDelivery)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },

    redeliver(
      { account }: Writer,
      webhook: string,
      id: string,
    ): Delivery | 'forgotten' | undefined {
      const find = () => execute(STATEMENTS.findDelivery, { account, webhook, id })
      if (find() === undefined) return undefined
      if (isForgotten.get({ account, id }) !== undefined) return 'forgotten'
      restart.run({ id, now: Date.now() })
      return find()
    },

    addPing(
      { account }: Writer,
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

    importWebhooks({ account }: Writer, { webhooks, deliveries }: Imported): void {
      for (const webhook of webhooks) insertWebhook.run(encode(toWebhookColumns(account, webhook)))
      for (const delivery of deliveries) insertDelivery.run(encode(toDeliveryColumns(delivery)))
    },
  }
}
