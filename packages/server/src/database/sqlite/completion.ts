import type { AssetStatus } from '../../domain/asset.ts'
import { knownProducts, type ProductSelection } from '../../domain/product.ts'
import type { FirstRead, Transition } from '../account-data.ts'
import { statusOrResized } from '../shared/rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareAttachments, prepareProductSelection } from './attachments.ts'
import { prepareChecksums, prepareReads } from './checksums.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { prepareRelease } from './removals.ts'
import { OWN_ASSET, transition, UPLOAD_COLUMNS, UPLOAD_STATUS, type UploadRow } from './rows.ts'
import { prepareNameIndex } from './search.ts'
import { prepareExcept } from './trash.ts'
import { EXTENDED_EXPIRY } from './upload-tokens.ts'
import { prepareReplacements } from './versions.ts'

interface CompletedRow {
  seq: number
  bytes: number
  chunk_size: number
  search_name: string
  token_id: string | null
}

interface FinishOptions {
  keepVersions: number
  withhold: boolean
  read?: FirstRead | undefined
}

/** Completing and cancelling uploads. */
export function prepareCompletion(connection: Connection) {
  const { prepare, transaction } = connection
  const release = prepareRelease(connection)
  const { finishReplacement } = prepareReplacements(connection)
  const { queueChecksum } = prepareChecksums(connection)
  const { recordRead } = prepareReads(connection)
  const attachByToken = prepareTokenAttachments(connection)
  const except = prepareExcept(connection)
  const { recordAsset } = prepareRecordEvents(connection)
  const state = prepare<{ status: AssetStatus; bytes: number }>(
    `select ${UPLOAD_STATUS} as status, bytes from assets where ${OWN_ASSET}`,
  )
  const finished = prepare<{ status: AssetStatus }>(
    `select iif(trashed_at is null, ${UPLOAD_STATUS}, 'ready') as status from assets where ${OWN_ASSET}`,
  )
  // `retry_at` marks the size of the upload as final. It stays set even if the upload is reopened.
  const begin = prepare(
    `update assets set status = 'completing', changed_at = :now, retry_at = :now,
       expires_at = ${EXTENDED_EXPIRY}
     where ${OWN_ASSET} and status = 'uploading' and bytes = coalesce(:bytes, bytes)`,
  )
  const reopen = prepare(transition('completing', 'uploading'))
  const finish = prepare<CompletedRow>(
    `${transition('completing', 'ready')} and replaces is null returning seq, bytes, chunk_size, search_name, token_id`,
  )
  const store = prepare<{ last_event: number; trash_until: string | null }>(
    `update accounts set reserved_bytes = reserved_bytes - :bytes,
       stored_bytes = stored_bytes + :bytes, asset_count = asset_count + 1, last_event = last_event + 1
     where id = :account returning last_event, trash_until`,
  )
  const indexName = prepareNameIndex(connection)
  const abandon = prepare<UploadRow>(
    `${transition('completing', 'expired')} and expires_at + :grace <= :now returning ${UPLOAD_COLUMNS}`,
  )
  const cancel = prepare<UploadRow>(
    `${transition('uploading', 'cancelled')} returning ${UPLOAD_COLUMNS}`,
  )

  function statusOf(account: string, id: string): AssetStatus | undefined {
    return state.get({ account, id })?.status
  }

  return {
    beginCompletion(
      { account }: Writer,
      id: string,
      { keptForMs, bytes }: { keptForMs: number; bytes?: number },
    ): Transition<'resized'> {
      const now = Date.now()
      const times = { now, expires_at: now + keptForMs }
      const won = begin.run({ account, id, ...times, bytes: bytes ?? null }) === 1
      const status = won ? 'completing' : statusOrResized(state.get({ account, id }), bytes)
      return { won, status }
    },

    reopenUpload({ account }: Writer, id: string): void {
      reopen.run({ account, id, now: Date.now() })
    },

    finishCompletion(
      writer: Writer,
      id: string,
      { keepVersions, withhold, read }: FinishOptions,
    ): AssetStatus | undefined {
      const { account } = writer
      const withheldFor = withhold ? account : null
      const recordFirstRead = () => {
        if (read === undefined) return
        const { nextReadMs, ...hashes } = read
        recordRead(id, { ...hashes, dueAt: new Date(Date.now() + nextReadMs), keepVersions })
      }
      return transaction(() => {
        const row = finish.get({ account, id, now: Date.now() })
        if (row === undefined) {
          const status = finishReplacement(writer, id, { keep: keepVersions, withheldFor })
          if (status === 'ready') recordFirstRead()
          return status ?? finished.get({ account, id })?.status
        }
        const counted = store.get({ account, bytes: row.bytes })
        if (counted && counted.trash_until !== null) except(account, [id])
        queueChecksum({ key: id, bytes: row.bytes, chunkSize: row.chunk_size }, withheldFor)
        indexName.run({ seq: row.seq, search_name: row.search_name })
        recordAsset(writer, 'asset.ready', row.seq, counted?.last_event)
        if (row.token_id !== null) attachByToken(writer, id, row.token_id)
        recordFirstRead()
        return 'ready'
      })
    },

    abandonCompletion({ account, actor }: Writer, id: string, graceMs: number): boolean {
      return transaction(() => {
        const row = abandon.get({ account, id, now: Date.now(), grace: graceMs })
        if (row !== undefined) release(actor, 'upload.expired', row)
        return row !== undefined
      })
    },

    cancelUpload({ account, actor }: Writer, id: string): Transition {
      return transaction(() => {
        const row = cancel.get({ account, id, now: Date.now() })
        if (row === undefined) return { won: false, status: statusOf(account, id) }
        release(actor, 'upload.cancelled', row)
        return { won: true, status: 'cancelled' }
      })
    },
  }
}

/** Attaches a completed upload to the products of its upload token, in the caller's transaction. */
function prepareTokenAttachments(connection: Connection) {
  const { attachProducts } = prepareAttachments(connection)
  const findProducts = prepareProductSelection(connection)
  const attachOf = connection.prepare<{ attach: string }>(
    'select attach from upload_tokens where id = :token and attach is not null',
  )
  return (writer: Writer, assetId: string, token: string): void => {
    const row = attachOf.get({ token })
    if (row === undefined) return
    const selection: ProductSelection = JSON.parse(row.attach)
    // Products that were deleted since the token was created are skipped.
    const known = knownProducts(selection, findProducts(writer.account, selection).unknown)
    if (known !== undefined) attachProducts(writer, assetId, known)
  }
}
