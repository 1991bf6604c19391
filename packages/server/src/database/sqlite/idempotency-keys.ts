import type { Asset } from '../../domain/asset.ts'
import type { Key, NewKey } from '../../domain/key.ts'
import type { NewOrder } from '../../domain/order.ts'
import type { NewUploadToken } from '../../domain/upload-token.ts'
import type { WebhookState } from '../../domain/webhook.ts'
import type { NewWebhook } from '../event-data.ts'
import type { AddedUploadToken, LinkOutcome, Once, OnceOutcome } from '../idempotency-data.ts'
import type { PutOrder } from '../order-data.ts'
import { type IdempotencyRow, isAdded, toRepetition } from '../shared/account-rows.ts'
import { MAX_FUTURE_MS } from '../shared/claim-times.ts'
import { orderWork } from '../shared/order-work.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareAssets } from './assets.ts'
import type { Connection } from './connection.ts'
import { prepareKeys } from './keys.ts'
import { prepareSharedWork } from './orders.ts'
import { STATEMENTS } from './rows.ts'
import { prepareUploadTokens } from './upload-tokens.ts'
import { prepareWebhooks } from './webhooks.ts'

/** The creations that run once for each idempotency key. */
export function prepareOnce(connection: Connection) {
  const { prepare, transaction } = connection
  const { addLink } = prepareAssets(connection)
  const { addKey } = prepareKeys(connection)
  const { addWebhook } = prepareWebhooks(connection)
  const { addUploadToken } = prepareUploadTokens(connection)
  const perform = prepareSharedWork(connection)
  const find = prepare<IdempotencyRow>(
    `select digest, resource_id, nonce from idempotency_keys
     where account_id = :account and key = :key`,
  )
  const insert = prepare(
    `insert into idempotency_keys (account_id, key, digest, resource_id, nonce, created_at)
     values (:account, :key, :digest, :id, :nonce, :clock)`,
  )

  function runOnce<Added>(
    { account }: Writer,
    { key, digest, id, nonce }: Once,
    add: () => Added,
  ): OnceOutcome<Added> {
    return transaction(() => {
      const known = find.get({ account, key })
      if (known !== undefined) return toRepetition(known, digest)
      const added = add()
      if (isAdded(added)) insert.run({ account, key, digest, id, nonce, clock: Date.now() })
      return { outcome: 'first', added }
    })
  }

  return {
    addLinkOnce: (writer: Writer, once: Once, asset: Asset): OnceOutcome<LinkOutcome> =>
      runOnce(writer, once, () => addLink(writer, asset)),
    addKeyOnce: (
      writer: Writer,
      once: Once,
      key: NewKey,
      maxKeys: number,
    ): OnceOutcome<Key | undefined> => runOnce(writer, once, () => addKey(writer, key, maxKeys)),
    addWebhookOnce: (
      writer: Writer,
      once: Once,
      webhook: NewWebhook,
      max: number,
    ): OnceOutcome<WebhookState | undefined> =>
      runOnce(writer, once, () => addWebhook(writer, webhook, max)),
    addUploadTokenOnce: (
      writer: Writer,
      once: Once,
      token: NewUploadToken,
      limits: { lifetimeMs: number; maxTokens: number },
    ): OnceOutcome<AddedUploadToken> =>
      runOnce(writer, once, () => addUploadToken(writer, token, limits)),
    putOrderOnce: (writer: Writer, once: Once, order: NewOrder): OnceOutcome<PutOrder> =>
      runOnce(writer, once, () =>
        perform(writer, orderWork(STATEMENTS, writer.account).putOrder(order)),
      ),
  }
}

export function prepareIdempotencyKeys({ prepare }: Connection) {
  const isOld = 'created_at <= :before or created_at > :latest'
  const anyOld = prepare(`select 1 from idempotency_keys where ${isOld} limit 1`)
  const forget = prepare(
    `delete from idempotency_keys where (account_id, key) in (
       select account_id, key from idempotency_keys where ${isOld} limit :limit)`,
  )
  return {
    forgetIdempotencyKeys(keptForMs: number, limit: number): number {
      const clock = Date.now()
      // A key of the future was recorded while the clock was ahead.
      const times = { before: clock - keptForMs, latest: clock + MAX_FUTURE_MS }
      // Reads first: a read is much cheaper than a write that changes nothing.
      return anyOld.get(times) === undefined ? 0 : forget.run({ ...times, limit })
    },
  }
}
