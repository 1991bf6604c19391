import { partPlan } from '@stowage/server/src/domain/parts'
import { leaveUploadOpen } from '@stowage/testing/engines/leave-upload-open'
import { API, someBytes } from '@stowage/testing/service/upload'
import { CHUNK_SIZE, type Command } from '../model/commands.ts'
import { targetOf } from '../model/linearize.ts'
import { changeUpload, type Model } from '../model/model.ts'
import { type Event, NO_RESPONSE } from '../model/observation.ts'
import {
  attach,
  beginBulkDelete,
  beginBulkPurge,
  beginBulkRestore,
  beginBulkTag,
  beginDeleteAll,
  beginMoveFolder,
  bulkDelete,
  bulkMove,
  bulkPurge,
  bulkRestore,
  bulkTag,
  bulkUntag,
  cancel,
  cancelBulk,
  complete,
  completeOther,
  deleteAll,
  detach,
  emptyTrash,
  expire,
  firstPart,
  intoFolder,
  job,
  plan,
  purge,
  putAll,
  putOther,
  remove,
  replace,
  resize,
  resizeOther,
  restoreAsset,
  resume,
  SIZE,
  sign,
  signByToken,
  signEstimate,
  tag,
  undoBulk,
} from './calls.ts'
import type { Harness } from './harness.ts'

/** A call that is paused or killed, and the state in which it starts. */
export interface TestCase {
  name: string
  /** Calls that create this state, in sequence. */
  before: Command[]
  /** Then changes the database or the storage directly. `id` is the first upload. */
  setUp?(harness: Harness, id: string): Promise<void>
  /** Applies the same change to the model. */
  updateModel?(model: Model): Model
  /** A call that was interrupted before `call` starts. It may or may not take effect later. */
  interrupted?: Command
  call: Command
  /** Calls that are not tested in this state. */
  isExcluded?: (command: Command) => boolean
}

const SENT = [sign, putAll]
const PARTIAL = [sign, firstPart]
const READY = [sign, putAll, complete]
const SENT_BY_TOKEN = [signByToken, putAll]

/** A completion was interrupted after `beginCompletion`, before it called the storage. */
async function beginOnly({ context, account }: Harness, id: string): Promise<void> {
  const keptForMs = context.settings.uploadsKeptForMs
  await context.database.of(account.id).beginCompletion(id, { keptForMs })
}

/** A completion was interrupted after the storage created the object. */
async function beginAndStore(harness: Harness, id: string): Promise<void> {
  const { context, account } = harness
  await beginOnly(harness, id)
  const upload = await context.database.of(account.id).findUpload(id)
  const plan = { size: SIZE, chunkSize: upload?.chunkSize ?? 0, count: 2 }
  await context.storage.completeUpload({ key: id, id: upload?.storageId ?? '' }, plan, [])
}

/** As `beginAndStore`, but a concurrent call that failed has reopened the upload. */
async function storeOnly(harness: Harness, id: string): Promise<void> {
  await beginAndStore(harness, id)
  await harness.context.database.of(harness.account.id).reopenUpload(id)
}

/** The asset is ready, but the storage did not close its upload. */
async function completeAndLeaveOpen({ context, account }: Harness, id: string): Promise<void> {
  const plan = partPlan(SIZE, CHUNK_SIZE)
  await leaveUploadOpen(context.storage, id, { bytes: someBytes(SIZE, putAll.content), plan })
  await account.call('POST', `${API}/assets/${id}/uploaded`)
}

async function loseUpload({ context, account }: Harness, id: string): Promise<void> {
  const upload = await context.database.of(account.id).findUpload(id)
  await context.storage.abortUpload({ key: id, id: upload?.storageId ?? '' })
}

/** A cancellation was interrupted before it called the storage. */
async function cancelInDatabase({ context, account }: Harness, id: string): Promise<void> {
  await context.database.of(account.id).cancelUpload(id)
}

function withoutParts(model: Model): Model {
  return changeUpload(model, model.uploads[0]?.id ?? '', { parts: [] })
}

const isPut = ({ kind }: Command) => kind === 'put' || kind === 'putAll'

export const TEST_CASES: TestCase[] = [
  { name: 'sign', before: [], call: sign },
  { name: 'sign with a key', before: [], call: { ...sign, key: 'the-same' } },
  {
    name: 'sign again with the same key',
    before: [{ ...sign, key: 'the-same' }, putAll],
    call: { ...sign, key: 'the-same' },
  },
  { name: 'sign with an upload token', before: [signByToken], call: signByToken },
  {
    name: 'complete an upload of a token, which attaches it',
    before: SENT_BY_TOKEN,
    call: complete,
  },
  { name: 'cancel an upload of a token', before: SENT_BY_TOKEN, call: cancel },
  {
    name: 'finishCompletions, an upload of a token',
    before: SENT_BY_TOKEN,
    setUp: beginAndStore,
    interrupted: complete,
    call: job('finishCompletions'),
  },
  { name: 'complete', before: SENT, call: complete },
  { name: 'complete without a part list', before: SENT, call: { ...complete, etags: 'none' } },
  { name: 'complete with a wrong ETag', before: SENT, call: { ...complete, etags: 'wrong' } },
  { name: 'complete with a missing part', before: PARTIAL, call: complete },
  { name: 'complete a ready asset', before: READY, call: complete },
  {
    name: 'complete again after an interrupted completion',
    before: SENT,
    setUp: beginOnly,
    interrupted: complete,
    call: complete,
  },
  {
    name: 'complete an upload whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: complete,
    call: complete,
  },
  { name: 'cancel', before: SENT, call: cancel },
  {
    name: 'cancel an upload whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: complete,
    call: cancel,
  },
  { name: 'resume', before: PARTIAL, call: resume },
  {
    name: 'resume an upload that the storage lost',
    before: SENT,
    setUp: loseUpload,
    updateModel: withoutParts,
    call: resume,
    isExcluded: isPut,
  },
  {
    name: 'resume after an interrupted completion',
    before: SENT,
    setUp: beginAndStore,
    interrupted: complete,
    call: resume,
  },
  {
    name: 'resume an upload whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: complete,
    call: resume,
  },
  {
    name: 'delete an upload',
    before: SENT,
    call: remove,
    // The test's job forgets uploads that ended just now. The real job waits a week.
    isExcluded: (command) => command.kind === 'job' && command.name === 'forgetEndedAssets',
  },
  { name: 'delete an asset', before: READY, call: remove },
  { name: 'resize', before: SENT, call: resize },
  { name: 'shrink', before: PARTIAL, call: { ...resize, size: 12 } },
  {
    name: 'resize an upload that the storage lost',
    before: SENT,
    setUp: loseUpload,
    updateModel: withoutParts,
    call: resize,
    isExcluded: isPut,
  },
  {
    name: 'resize an upload whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: complete,
    call: resize,
  },
  {
    name: 'rename',
    before: READY,
    call: { kind: 'rename', upload: 0, name: 'a.zip', path: 'moved' },
  },
  { name: 'tag', before: READY, call: tag },
  { name: 'tag in bulk', before: READY, call: bulkTag },
  { name: 'untag in bulk', before: [...READY, bulkTag], call: bulkUntag },
  { name: 'attach', before: READY, call: attach },
  { name: 'detach', before: [...READY, attach], call: detach },
  { name: 'read', before: READY, call: { kind: 'read', upload: 0 } },
  { name: 'download', before: READY, call: { kind: 'download', upload: 0 } },
  { name: 'list', before: READY, call: { kind: 'list' } },
  { name: 'expireUploads', before: PARTIAL, call: expire },
  { name: 'expireUploads, all parts sent', before: SENT, call: expire },
  {
    name: 'expireUploads, object already stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: complete,
    call: expire,
  },
  {
    name: 'finishCompletions',
    before: SENT,
    setUp: beginOnly,
    interrupted: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'finishCompletions, object already stored',
    before: SENT,
    setUp: beginAndStore,
    interrupted: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'finishCompletions, part missing',
    before: PARTIAL,
    setUp: beginOnly,
    interrupted: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'removeObjects, a cancelled upload',
    before: SENT,
    setUp: cancelInDatabase,
    interrupted: cancel,
    call: job('removeObjects'),
  },
  {
    name: 'removeObjects, a deleted asset',
    before: [...READY, purge],
    call: job('removeObjects'),
  },
  {
    name: 'removeOrphanedUploads, a cancelled upload',
    before: SENT,
    setUp: cancelInDatabase,
    interrupted: cancel,
    call: job('removeOrphanedUploads'),
  },
  {
    name: 'removeOrphanedUploads, an open upload',
    before: SENT,
    call: job('removeOrphanedUploads'),
  },
  {
    name: 'removeOrphanedUploads, a ready asset whose upload is still open',
    before: SENT,
    setUp: completeAndLeaveOpen,
    interrupted: complete,
    call: job('removeOrphanedUploads'),
    // The storage still accepts parts, but the file no longer changes.
    isExcluded: (command) => isPut(command) || command.kind === 'resize',
  },
  { name: 'computeChecksums', before: READY, call: job('computeChecksums') },
  { name: 'forgetEndedAssets', before: [...SENT, cancel], call: job('forgetEndedAssets') },
]

/** 60 bytes, of which 15 are reserved. */
const NEARLY_FULL = [plan(60), sign, putAll]
/** 40 bytes, of which 15 are in the trash and 15 reserved by a second upload. */
const WITH_TRASH = [plan(40), sign, putAll, complete, remove, sign]

/** Estimated sizes of streams of unknown length. The plan does not have room for them. */
export const ESTIMATE_CASES: TestCase[] = [
  { name: 'sign an estimate', before: NEARLY_FULL, call: signEstimate },
  { name: 'sign an estimate, trash is in the way', before: WITH_TRASH, call: signEstimate },
  { name: 'resize to an estimate', before: [...NEARLY_FULL, sign], call: resizeOther },
  {
    name: 'resize to an estimate, trash is in the way',
    before: WITH_TRASH,
    call: { ...resizeOther, minSize: 28 },
  },
]

/** The plan allows one more asset, and a file is in the trash. */
const ONE_MORE = [plan(1000, 1), sign, putAll, complete, remove]

export const ASSET_LIMIT_CASES: TestCase[] = [
  { name: 'sign, the last asset of the plan', before: ONE_MORE, call: sign },
  {
    name: 'sign with a key, the last asset of the plan',
    before: ONE_MORE,
    call: { ...sign, key: 'last' },
  },
  { name: 'restore the last asset of the plan', before: ONE_MORE, call: restoreAsset },
]

/** The interrupted call, as an event without a response. `model` is the state in which the call starts. */
export function interruptedEvents({ interrupted }: TestCase, model: Model): Event[] {
  if (interrupted === undefined) return []
  const seen = { status: NO_RESPONSE, ...targetOf(model, interrupted), parts: [] }
  return [{ client: 2, command: interrupted, seen }]
}

const ATTACHED_READY = [sign, putAll, complete, attach]
const TRASHED = [...ATTACHED_READY, remove]
/** The second of two uploads is complete. */
const OTHER_READY = [sign, putAll, sign, putOther, completeOther]

/** Calls that delete or restore an asset, or compute its checksum. */
export const TRASH_CASES: TestCase[] = [
  { name: 'delete an asset to the trash', before: ATTACHED_READY, call: remove },
  { name: 'delete an asset permanently', before: ATTACHED_READY, call: purge },
  { name: 'delete an asset in the trash permanently', before: TRASHED, call: purge },
  {
    name: 'delete a file with a replacement permanently',
    before: [...ATTACHED_READY, replace],
    call: purge,
  },
  { name: 'restore an asset', before: TRASHED, call: restoreAsset },
  { name: 'delete in bulk', before: ATTACHED_READY, call: bulkDelete },
  {
    name: 'delete in bulk permanently, a file with a replacement',
    before: [...ATTACHED_READY, replace],
    call: bulkPurge,
  },
  { name: 'restore in bulk', before: TRASHED, call: bulkRestore },
  { name: 'move to a folder in bulk', before: ATTACHED_READY, call: bulkMove },
  { name: 'computeChecksums, an asset', before: ATTACHED_READY, call: job('computeChecksums') },
  {
    name: 'computeChecksums, an asset in the trash',
    before: TRASHED,
    call: job('computeChecksums'),
  },
]

/** The same for calls that change all assets of the account. */
export const ACCOUNT_TRASH_CASES: TestCase[] = [
  { name: 'empty the trash', before: TRASHED, call: emptyTrash },
  { name: 'delete all assets', before: ATTACHED_READY, call: deleteAll },
  {
    name: 'continueDeletions',
    before: [...ATTACHED_READY, beginDeleteAll],
    call: job('continueDeletions'),
  },
  {
    name: 'continueDeletions, an upload is not complete',
    before: [...OTHER_READY, beginDeleteAll],
    call: job('continueDeletions'),
  },
  {
    name: 'continueDeletions, an asset is in the trash',
    before: [...OTHER_READY, complete, remove, beginDeleteAll],
    call: job('continueDeletions'),
  },
  { name: 'emptyTrash', before: TRASHED, call: job('emptyTrash') },
  {
    name: 'continueFolderMoves',
    before: [...ATTACHED_READY, intoFolder, beginMoveFolder],
    call: job('continueFolderMoves'),
  },
  {
    name: 'continueBulkJobs, delete',
    before: [...ATTACHED_READY, beginBulkDelete],
    call: job('continueBulkJobs'),
  },
  {
    name: 'continueBulkJobs, remove from the trash',
    before: [...TRASHED, beginBulkPurge],
    call: job('continueBulkJobs'),
  },
  {
    name: 'continueBulkJobs, restore',
    before: [...TRASHED, beginBulkRestore],
    call: job('continueBulkJobs'),
  },
  {
    name: 'continueBulkJobs, tag and delete',
    before: [...ATTACHED_READY, beginBulkTag, beginBulkDelete],
    call: job('continueBulkJobs'),
  },
  {
    name: 'cancel a change in bulk',
    before: [...ATTACHED_READY, beginBulkTag],
    call: cancelBulk,
  },
  {
    name: 'undo a change in bulk, delete',
    before: [...ATTACHED_READY, beginBulkDelete, job('continueBulkJobs')],
    call: undoBulk,
  },
  {
    name: 'undo a change in bulk, tag',
    before: [...ATTACHED_READY, beginBulkTag, job('continueBulkJobs')],
    call: undoBulk,
  },
  {
    name: 'continueFolderMoves, an asset is in the trash',
    before: [...ATTACHED_READY, intoFolder, remove, beginMoveFolder],
    call: job('continueFolderMoves'),
  },
]
