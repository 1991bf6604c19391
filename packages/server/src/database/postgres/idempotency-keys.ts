import type { Once, OnceOutcome } from '../idempotency-data.ts'
import { type IdempotencyRow, isAdded, toRepetition } from '../shared/account-rows.ts'
import { MAX_FUTURE_MS } from '../shared/claim-times.ts'
import { orderWork } from '../shared/order-work.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { insertLink } from './assets.ts'
import { inTransaction, type Sql } from './connection.ts'
import { insertKey } from './keys.ts'
import { performWork } from './orders.ts'
import { STATEMENTS } from './rows.ts'
import { insertUploadToken } from './upload-tokens.ts'
import { insertWebhook } from './webhooks.ts'

/** The creations that run once for each idempotency key. */
export function accountOnce(sql: Sql, writer: Writer): AccountMethods['once'] {
  const { account } = writer

  function runOnce<Added>(
    { key, digest, id, nonce }: Once,
    add: () => Promise<Added>,
  ): Promise<OnceOutcome<Added>> {
    return inTransaction(sql, async () => {
      // Waits for a concurrent call with the same key. The update changes nothing, but returns the row.
      const [row] = await sql<(IdempotencyRow & { is_new: boolean })[]>`
        insert into idempotency_keys (account_id, key, digest, resource_id, nonce, created_at)
        values (${account}, ${key}, ${digest}, ${id}, ${nonce}, now())
        on conflict (account_id, key) do update set key = excluded.key
        returning digest, resource_id, nonce, resource_id = ${id} as is_new`
      if (row === undefined) throw new Error('the idempotency key was not stored')
      if (!row.is_new) return toRepetition(row, digest)
      const added = await add()
      if (!isAdded(added)) {
        await sql`delete from idempotency_keys where account_id = ${account} and key = ${key}`
      }
      return { outcome: 'first', added }
    })
  }

  return {
    addLinkOnce: (once, asset) => runOnce(once, () => insertLink(sql, writer, asset)),
    addKeyOnce: (once, key, maxKeys) => runOnce(once, () => insertKey(sql, writer, key, maxKeys)),
    addWebhookOnce: (once, webhook, max) =>
      runOnce(once, () => insertWebhook(sql, writer, webhook, max)),
    addUploadTokenOnce: (once, token, limits) =>
      runOnce(once, () => insertUploadToken(sql, writer, token, limits)),
    putOrderOnce: (once, order) =>
      runOnce(once, () => performWork(sql, writer, orderWork(STATEMENTS, account).putOrder(order))),
  }
}

export function globalIdempotencyKeys(sql: Sql): DatabaseMethods['idempotencyKeys'] {
  return {
    async forgetIdempotencyKeys(keptForMs, limit) {
      // A key of the future was recorded while the clock was ahead.
      const forgotten = await sql`
        with old as (
          select account_id, key from idempotency_keys
          where created_at <= now() - ${keptForMs} * interval '1 ms'
            or created_at > now() + ${MAX_FUTURE_MS} * interval '1 ms'
          limit ${limit} for update skip locked
        )
        delete from idempotency_keys using old
        where idempotency_keys.account_id = old.account_id and idempotency_keys.key = old.key`
      return forgotten.count
    },
  }
}
