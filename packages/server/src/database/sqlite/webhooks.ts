import type { Webhook, WebhookState } from '../../domain/webhook.ts'
import { changedFields, toEventWebhook } from '../../domain/webhook-event.ts'
import type { Writer } from '../cache-account-data.ts'
import type { AccountWebhookData } from '../webhook-data.ts'
import {
  previousSecretsAfter,
  toWebhook,
  toWebhookState,
  type WebhookRow,
  writePreviousSecrets,
  writeTypes,
} from '../webhook-rows.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

export type StateRow = WebhookRow & { pending: number }

/** The columns of a webhook, and the number of its pending deliveries. */
export const WEBHOOK_STATE = `*, (select count(*) from deliveries
  where webhook_id = webhooks.id and status = 'pending') as pending`

type Methods = Pick<
  AccountWebhookData,
  'addWebhook' | 'changeWebhook' | 'rotateSecret' | 'importWebhooks'
>
type Arguments<Name extends keyof Methods> = Parameters<Methods[Name]>

/** The webhooks of an account. */
export function prepareWebhooks(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const all = prepare<StateRow>(
    `select ${WEBHOOK_STATE} from webhooks where account_id = :account order by id`,
  )
  const byId = prepare<StateRow>(
    `select ${WEBHOOK_STATE} from webhooks where account_id = :account and id = :id`,
  )
  // The next event is `webhook.created` of this webhook, which the webhook itself does not receive.
  const insert = prepare(
    `insert into webhooks (id, account_id, url, description, types, secret, previous_secrets, last_event,
       created_at, updated_at)
     select :id, id, :url, :description, :types, :secret, '[]', last_event + 1, :created_at, :created_at
     from accounts where id = :account
       and (select count(*) from webhooks where account_id = :account) < :max`,
  )
  const update = prepare(
    `update webhooks set url = :url, description = :description, types = :types, updated_at = :now,
       disabled_at = :disabled_at, disabled_reason = :disabled_reason, failing_since = :failing_since
     where account_id = :account and id = :id`,
  )
  const rotate = prepare(
    `update webhooks set secret = :secret, previous_secrets = :previous, updated_at = :now
     where account_id = :account and id = :id`,
  )
  const remove = prepare<WebhookRow>(
    'delete from webhooks where account_id = :account and id = :id returning *',
  )
  const importOne = prepare(
    `insert into webhooks (id, account_id, url, description, types, secret, previous_secrets, last_event,
       created_at, updated_at, disabled_at, disabled_reason, failing_since, missed_events, missed_at)
     values (:id, :account, :url, :description, :types, :secret, :previous, :last_event,
       :created_at, :updated_at, :disabled_at, :disabled_reason, :failing_since, :missed, :missed_at)
     on conflict (id) do nothing`,
  )

  function findWebhook(account: string, id: string): WebhookState | undefined {
    const row = byId.get({ account, id })
    return row && toWebhookState(row)
  }

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
    findWebhook,
    listWebhooks: (account: string): WebhookState[] => all.all({ account }).map(toWebhookState),

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
        const { isEnabled = webhook.disabled === null } = change
        const disabled = isEnabled ? null : (webhook.disabled ?? { at: now, reason: 'manual' })
        const { url = webhook.url, types = webhook.types } = change
        const isRestarted = (isEnabled && webhook.disabled !== null) || url !== webhook.url
        update.run({
          account,
          id,
          url,
          description: change.description ?? webhook.description,
          types: writeTypes(types),
          now: now.getTime(),
          disabled_at: disabled?.at.getTime() ?? null,
          disabled_reason: disabled?.reason ?? null,
          failing_since: isRestarted ? null : (webhook.failingSince?.getTime() ?? null),
        })
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

    importWebhook(
      account: string,
      webhook: Arguments<'importWebhooks'>[0]['webhooks'][number],
    ): void {
      importOne.run({
        id: webhook.id,
        account,
        url: webhook.url,
        description: webhook.description,
        types: writeTypes(webhook.types),
        secret: webhook.secret,
        previous: writePreviousSecrets(webhook.previousSecrets),
        last_event: webhook.lastEvent,
        created_at: webhook.createdAt.getTime(),
        updated_at: webhook.updatedAt.getTime(),
        disabled_at: webhook.disabled?.at.getTime() ?? null,
        disabled_reason: webhook.disabled?.reason ?? null,
        failing_since: webhook.failingSince?.getTime() ?? null,
        missed: webhook.missed?.count ?? 0,
        missed_at: webhook.missed?.at.getTime() ?? null,
      })
    },
  }
}
