import type { AssetStatus } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { FirstRead } from '../account-data.ts'
import { statusOrResized } from '../shared/rows.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { attachmentSubjects, lockProducts, updateAttached } from './attachments.ts'
import { addChecksums, declaresOther, queueChecksums, recordFirstRead } from './checksums.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { assetSnapshot, recordEvents, runAndMark } from './events.ts'
import { release } from './removals.ts'
import { uploadStatus } from './rows.ts'
import { exceptFromDeletion } from './trash.ts'
import { extendedExpiry } from './upload-tokens.ts'
import { finishReplacement } from './versions.ts'

interface UploadState {
  status: AssetStatus
  is_trashed: boolean
  bytes: number
  replaces: string | null
  token_id: string | null
}

interface FinishOptions {
  tokenId: string | null
  withhold: boolean
}

/** Completing and cancelling uploads. */
export function accountCompletion(
  sql: Sql,
  { account, actor }: Writer,
): AccountMethods['completion'] {
  async function stateOf(id: string): Promise<UploadState | undefined> {
    const [row] = await sql<UploadState[]>`
      select ${uploadStatus(sql)} as status, trashed_at is not null as is_trashed, bytes, replaces,
        token_id
      from assets where id = ${id} and account_id = ${account}`
    return row
  }

  const statusOf = async (id: string) => (await stateOf(id))?.status

  /**
   * Finishes an upload that this token started. `tokenId` is null for uploads without a token. With `read`, it does nothing
   * if the client has declared another digest.
   */
  async function finish(
    id: string,
    { tokenId, withhold, read }: FinishOptions & { read?: FirstRead | undefined },
  ): Promise<boolean> {
    const withheldFor = withhold ? account : null
    const isExpected = read ? sql`and not ${declaresOther(sql, id, read.sha256)}` : sql``
    const addTo = (rows: Fragment) =>
      read ? addChecksums(sql, rows, read) : queueChecksums(sql, rows, withheldFor)
    const statement = sql`
      with stored as (
        update assets set status = 'ready', changed_at = now()
        where id = ${id} and account_id = ${account} and status = 'completing'
          and replaces is null and token_id is not distinct from ${tokenId}::uuid
          ${isExpected}
        returning *
      ), queued as (${addTo(sql`stored`)}), counted as (
        update accounts set reserved_bytes = reserved_bytes - stored.bytes,
          stored_bytes = stored_bytes + stored.bytes, asset_count = asset_count + 1,
          last_event = last_event + 1
        from stored where accounts.id = stored.account_id
        returning last_event, trash_until
      ), excepted as (${exceptFromDeletion(sql, { assets: sql`stored`, counted: sql`counted` })})
      insert into events (account_id, id, type, created_at, actor, data)
      select s.account_id, last_event, 'asset.ready', clock_timestamp(), ${actor}::text::json,
        ${assetSnapshot(sql)}
      from stored s, counted`
    return (await runAndMark(sql, account, statement)).count > 0
  }

  return {
    beginCompletion(id, { keptForMs, bytes }) {
      // `retry_at` marks the size of the upload as final. It stays set even if the upload is reopened.
      const change = async () => {
        const begun = await sql`
          update assets set status = 'completing', changed_at = now(), retry_at = now(),
            expires_at = ${extendedExpiry(sql, keptForMs)}
          where id = ${id} and account_id = ${account} and status = 'uploading'
            and bytes = coalesce(${bytes ?? null}, bytes)`
        return begun.count === 1
      }
      const readStatus = async () => statusOrResized(await stateOf(id), bytes)
      return transition({ from: 'uploading', to: 'completing', change, readStatus })
    },

    async reopenUpload(id) {
      await sql`
        update assets set status = 'uploading', changed_at = now()
        where id = ${id} and account_id = ${account} and status = 'completing'`
    },

    async finishCompletion(id, { keepVersions, withhold, read }) {
      if (await finish(id, { tokenId: null, withhold, read })) return 'ready'
      const state = await stateOf(id)
      if (state?.is_trashed) return 'ready'
      if (state?.status === 'completing' && state.replaces === null) {
        const tokenId = state.token_id
        const finishAndRecord = async () => {
          const isFinished = await finish(id, { tokenId, withhold })
          if (isFinished) await recordFirstRead(sql, id, { read, keepVersions })
          return isFinished
        }
        const done =
          tokenId === null
            ? await inTransaction(sql, finishAndRecord)
            : await finishTokenUpload(sql, { id, account, actor, tokenId }, finishAndRecord)
        return done ? 'ready' : statusOf(id)
      }
      if (state?.status !== 'completing' || state.replaces === null) return state?.status
      const assetId = state.replaces
      const withheldFor = withhold ? account : null
      const replacement = { id, assetId, keepVersions, actor, withheldFor, read }
      return (await finishReplacement(sql, replacement)) ?? statusOf(id)
    },

    abandonCompletion(id, graceMs) {
      return release(
        sql,
        { id, account, actor, type: 'upload.expired' },
        () => sql`
          update assets set status = 'expired', changed_at = now()
          where id = ${id} and account_id = ${account} and status = 'completing'
            and expires_at + ${graceMs} * interval '1 ms' <= now()`,
      )
    },

    cancelUpload: (id) =>
      transition({
        from: 'uploading',
        to: 'cancelled',
        change: () =>
          release(
            sql,
            { id, account, actor, type: 'upload.cancelled' },
            () => sql`
              update assets set status = 'cancelled', changed_at = now()
              where id = ${id} and account_id = ${account} and status = 'uploading'`,
          ),
        readStatus: () => statusOf(id),
      }),
  }
}

/**
 * Completes an upload of an upload token, and attaches the asset to the products of the token. Products that were
 * deleted since the token was created are skipped. `finish` runs in the same transaction, after the products are
 * locked: products are locked before assets. Returns false if the upload is no longer being completed.
 */
function finishTokenUpload(
  sql: Sql,
  upload: Writer & { id: string; tokenId: string },
  finish: () => Promise<boolean>,
): Promise<boolean> {
  const { id, account, actor, tokenId } = upload
  return inTransaction(sql, async () => {
    const [token] = await sql<{ attach: ProductSelection }[]>`
      select attach from upload_tokens where id = ${tokenId} and attach is not null`
    const products = token && (await lockProducts(sql, account, token.attach))
    if (!(await finish())) return false
    if (products !== undefined && products.ids.length > 0) {
      const changed = sql`
        insert into asset_products (asset_id, product_id)
        select ${id}, product_id from unnest(${products.ids}::uuid[]) product_id
        on conflict do nothing returning asset_id, product_id`
      const subjects = attachmentSubjects(sql)
      await recordEvents(sql, { type: 'asset.attached', actor, subjects, changed })
      await updateAttached(sql, account, [id])
    }
    return true
  })
}

/**
 * Changes a status by compare-and-set. If nothing was changed, the current status is the reason. If that is
 * `from`, the asset got this status between the two statements, and the change is tried again.
 */
export async function transition<Status>(step: {
  from: AssetStatus
  to: AssetStatus
  change(): Promise<boolean>
  readStatus(): Promise<Status>
}): Promise<{ won: boolean; status: Status | AssetStatus }> {
  for (;;) {
    if (await step.change()) return { won: true, status: step.to }
    const status = await step.readStatus()
    if (status !== step.from) return { won: false, status }
  }
}
