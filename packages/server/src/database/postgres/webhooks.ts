import { changedFields, toEventWebhook } from '../../domain/event.ts'
import type { Webhook, WebhookState } from '../../domain/webhook.ts'
import type { NewWebhook } from '../event-data.ts'
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
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { execute, inTransaction, readPageWithTotal, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { STATEMENTS } from './rows.ts'

/** The webhooks of an account. */
export function accountWebhooks(sql: Sql, writer: Writer): AccountMethods['webhooks'] {
  const { account } = writer

  const findWebhook = (id: string) => execute(sql, STATEMENTS.findWebhook, { account, id })

  /** Records how a webhook differs from its earlier state. Returns its new state. */
  async function recordChange(before: Webhook): Promise<WebhookState | undefined> {
    const webhook = await findWebhook(before.id)
    const changed = webhook ? changedFields(before, webhook) : []
    if (webhook && changed.length > 0) {
      await recordEvent(sql, writer, 'webhook.updated', toEventWebhook(webhook, changed))
    }
    return webhook
  }

  return {
    addWebhook: (webhook, maxWebhooks) =>
      inTransaction(sql, () => insertWebhook(sql, writer, webhook, maxWebhooks)),

    changeWebhook: (id, change, now) =>
      inTransaction(sql, async () => {
        await sql`
          select from webhooks where account_id = ${account} and id = ${id} for no key update`
        const webhook = await findWebhook(id)
        if (webhook === undefined) return undefined
        const columns = changedColumns(webhook, change, now)
        await sql`update webhooks set ${sql(columns)} where id = ${id}`
        return recordChange(webhook)
      }),

    rotateSecret: (id, rotation) =>
      inTransaction(sql, async () => {
        const [row] = await sql<WebhookRow[]>`
          select * from webhooks where account_id = ${account} and id = ${id} for no key update`
        if (row === undefined) return undefined
        await sql`
          update webhooks set secret = ${rotation.secret}, updated_at = ${rotation.now},
            previous_secrets = ${previousSecretsAfter(row, rotation)}
          where id = ${id}`
        return recordChange(toWebhook(row))
      }),

    deleteWebhook: (id) =>
      inTransaction(sql, async () => {
        const [row] = await sql<WebhookRow[]>`
          delete from webhooks where account_id = ${account} and id = ${id} returning *`
        if (row === undefined) return false
        await recordEvent(sql, writer, 'webhook.deleted', toEventWebhook(toWebhook(row)))
        return true
      }),
  }
}

/** Adds a webhook, in the caller's transaction. */
export async function insertWebhook(
  sql: Sql,
  writer: Writer,
  webhook: NewWebhook,
  maxWebhooks: number,
): Promise<WebhookState | undefined> {
  const { account } = writer
  const { id, url, description, types, secret, createdAt } = webhook
  // Locks the account, so that concurrent calls can't exceed the limit.
  await sql`select from accounts where id = ${account} for no key update`
  // The next event is `webhook.created` of this webhook, which the webhook itself does not receive.
  const added = await sql`
    insert into webhooks (id, account_id, url, description, types, secret, previous_secrets,
      last_event, created_at, updated_at)
    select ${id}, id, ${url}, ${description}, ${writeTypes(types)}, ${secret}, '[]',
      last_event + 1, ${createdAt}, ${createdAt}
    from accounts where id = ${account}
      and (select count(*) from webhooks where account_id = ${account}) < ${maxWebhooks}`
  const state =
    added.count === 0 ? undefined : await execute(sql, STATEMENTS.findWebhook, { account, id })
  if (state === undefined) return undefined
  await recordEvent(sql, writer, 'webhook.created', toEventWebhook(state))
  return state
}

/** The log of the deliveries of an account. */
export function accountDeliveries(sql: Sql, account: string): AccountMethods['deliveries'] {
  /** Deliveries are reached only through a webhook of the account. */
  const ofWebhook = (webhookId: string) => sql`
    webhook_id = (select id from webhooks where account_id = ${account} and id = ${webhookId})`

  return {
    async listDeliveries(webhookId, { status, after, page, perPage }) {
      const withStatus = status === undefined ? sql`` : sql`and status = ${status}`
      const filtered = sql`${ofWebhook(webhookId)} ${withStatus}`
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<ListedDeliveryRow>(sql, {
        count: sql`select count(*) as total from deliveries where ${filtered}`,
        page: sql`
          select ${sql.unsafe(DELIVERY_COLUMNS)} from deliveries where ${filtered} ${beforeCursor}
          order by id desc limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`id desc`,
      })
      return { rows: rows.map(toListedDelivery), total }
    },

    async redeliver(webhookId, id) {
      const [delivery] = await sql<{ is_forgotten: boolean }[]>`
        select body is null and not exists (
          select from events e where e.account_id = ${account} and e.id = d.event_id) as is_forgotten
        from deliveries d where ${ofWebhook(webhookId)} and id = ${id}`
      if (delivery?.is_forgotten) return 'forgotten'
      await sql`
        update deliveries set status = 'pending', due_at = now(), claim_ends_at = null, failures = 0
        where ${ofWebhook(webhookId)} and id = ${id}
          and not (status = 'pending' and claim_ends_at is not null and claim_ends_at > now())`
      return execute(sql, STATEMENTS.findDelivery, { account, webhook: webhookId, id })
    },

    addPing: (delivery, { webhookId, claimForMs, maxClaims }) =>
      inTransaction(sql, async () => {
        // Locks the webhook like every call that claims its deliveries, so that concurrent ones can't exceed the limit.
        const [webhook] = await sql<WebhookRow[]>`
          select * from webhooks where account_id = ${account} and id = ${webhookId}
          for no key update`
        if (webhook === undefined) return undefined
        const [row] = await sql<(DeliveryRow & { claimed_at: Date })[]>`
          insert into deliveries (id, webhook_id, type, body, status, created_at, due_at,
            claim_ends_at, claims)
          select ${delivery.id}, ${webhookId}, ${delivery.type}, ${delivery.body}, 'pending',
            ${delivery.createdAt}, until.at, until.at, 1
          from (select now() + ${claimForMs} * interval '1 ms' as at) until
          where (select count(*) from deliveries
            where webhook_id = ${webhookId} and claim_ends_at > now()) < ${maxClaims}
          returning *, now() as claimed_at`
        if (row === undefined) return 'busy'
        const claimed = { event: undefined, claimedAt: row.claimed_at }
        return toClaimedDelivery(toWebhook(webhook), row, claimed)
      }),

    importWebhooks: ({ webhooks, deliveries }) =>
      inTransaction(sql, async () => {
        if (webhooks.length > 0) {
          const rows = webhooks.map((webhook) => toWebhookColumns(account, webhook))
          await sql`insert into webhooks ${sql(rows)} on conflict (id) do nothing`
        }
        if (deliveries.length === 0) return
        const rows = deliveries.map(toDeliveryColumns)
        await sql`insert into deliveries ${sql(rows)} on conflict do nothing`
      }),
  }
}
