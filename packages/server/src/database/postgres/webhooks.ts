import type { Webhook, WebhookState } from '../../domain/webhook.ts'
import { changedFields, toEventWebhook } from '../../domain/webhook-event.ts'
import type { Writer } from '../cache-account-data.ts'
import type { AccountWebhookData } from '../webhook-data.ts'
import {
  previousSecretsAfter,
  toWebhook,
  toWebhookState,
  type WebhookRow,
  writeTypes,
} from '../webhook-rows.ts'
import { begin, type Sql } from './connection.ts'
import { recordEvent } from './record-events.ts'
import type { Fragment } from './statement.ts'

export type StateRow = WebhookRow & { pending: number }

/** The columns of a webhook, and the number of its pending deliveries. */
export function webhookState(sql: Sql): Fragment {
  return sql`webhooks.*, (select count(*) from deliveries
    where webhook_id = webhooks.id and status = 'pending') as pending`
}

type Webhooks = Pick<
  AccountWebhookData,
  'addWebhook' | 'listWebhooks' | 'findWebhook' | 'changeWebhook' | 'rotateSecret' | 'deleteWebhook'
>

/** The webhooks of an account. */
export function accountWebhooks(sql: Sql, writer: Writer): Webhooks {
  const { account } = writer

  async function findWebhook(id: string): Promise<WebhookState | undefined> {
    const [row] = await sql<StateRow[]>`
      select ${webhookState(sql)} from webhooks where account_id = ${account} and id = ${id}`
    return row && toWebhookState(row)
  }

  /** Records how a webhook differs from its earlier state. Returns its new state. */
  async function recordChange(
    transaction: Sql,
    before: Webhook,
  ): Promise<WebhookState | undefined> {
    const webhook = await findWebhook(before.id)
    const changed = webhook ? changedFields(before, webhook) : []
    if (webhook && changed.length > 0) {
      await recordEvent(transaction, writer, 'webhook.updated', toEventWebhook(webhook, changed))
    }
    return webhook
  }

  return {
    findWebhook,

    async listWebhooks() {
      const rows = await sql<StateRow[]>`
        select ${webhookState(sql)} from webhooks where account_id = ${account} order by id`
      return rows.map(toWebhookState)
    },

    addWebhook: (webhook, maxWebhooks) =>
      begin(sql, async (transaction) => {
        const { id, url, description, types, secret, createdAt } = webhook
        // Locks the account, so that concurrent calls can't exceed the limit.
        await transaction`select from accounts where id = ${account} for no key update`
        // The next event is `webhook.created` of this webhook, which the webhook itself does not receive.
        const added = await transaction`
          insert into webhooks (id, account_id, url, description, types, secret, previous_secrets,
            last_event, created_at, updated_at)
          select ${id}, id, ${url}, ${description}, ${writeTypes(types)}, ${secret}, '[]',
            last_event + 1, ${createdAt}, ${createdAt}
          from accounts where id = ${account}
            and (select count(*) from webhooks where account_id = ${account}) < ${maxWebhooks}`
        const state = added.count === 0 ? undefined : await findWebhook(id)
        if (state === undefined) return undefined
        await recordEvent(transaction, writer, 'webhook.created', toEventWebhook(state))
        return state
      }),

    changeWebhook: (id, change, now) =>
      begin(sql, async (transaction) => {
        await transaction`
          select from webhooks where account_id = ${account} and id = ${id} for no key update`
        const webhook = await findWebhook(id)
        if (webhook === undefined) return undefined
        const { isEnabled = webhook.disabled === null } = change
        const { url = webhook.url, types = webhook.types } = change
        const disabled = isEnabled ? null : (webhook.disabled ?? { at: now, reason: 'manual' })
        const isRestarted = (isEnabled && webhook.disabled !== null) || url !== webhook.url
        await transaction`
          update webhooks set url = ${url},
            description = ${change.description ?? webhook.description},
            types = ${writeTypes(types)}, updated_at = ${now},
            disabled_at = ${disabled?.at ?? null}, disabled_reason = ${disabled?.reason ?? null},
            failing_since = ${isRestarted ? null : webhook.failingSince}
          where id = ${id}`
        return recordChange(transaction, webhook)
      }),

    rotateSecret: (id, rotation) =>
      begin(sql, async (transaction) => {
        const [row] = await transaction<WebhookRow[]>`
          select * from webhooks where account_id = ${account} and id = ${id} for no key update`
        if (row === undefined) return undefined
        await transaction`
          update webhooks set secret = ${rotation.secret}, updated_at = ${rotation.now},
            previous_secrets = ${previousSecretsAfter(row, rotation)}
          where id = ${id}`
        return recordChange(transaction, toWebhook(row))
      }),

    deleteWebhook: (id) =>
      begin(sql, async (transaction) => {
        const [row] = await transaction<WebhookRow[]>`
          delete from webhooks where account_id = ${account} and id = ${id} returning *`
        if (row === undefined) return false
        await recordEvent(transaction, writer, 'webhook.deleted', toEventWebhook(toWebhook(row)))
        return true
      }),
  }
}
