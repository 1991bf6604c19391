import type { Command } from '../model/commands.ts'
import { changeUpload, type Model } from '../model/model.ts'
import type { Event } from '../model/observation.ts'
import { CUT_OFF } from '../model/observation.ts'
import {
  attach,
  cancel,
  complete,
  detach,
  expire,
  firstPart,
  job,
  putAll,
  remove,
  resize,
  resume,
  SIZE,
  sign,
} from './calls.ts'
import type { Stage } from './harness.ts'

/** A call that is stopped, and how things are when it begins. */
export interface Scene {
  name: string
  /** One after the other. */
  before: Command[]
  /** What happened behind the interface since. `id` is the first upload. */
  arrange?(stage: Stage, id: string): Promise<void>
  /** How that changes what the model knows. */
  arranged?(model: Model): Model
  /** A call that was cut off: whether it takes effect shows only later. */
  cutOff?: Command
  call: Command
  /** Calls that this state makes no promise to. */
  without?: (command: Command) => boolean
}

const SENT = [sign, putAll]
const PARTIAL = [sign, firstPart]
const READY = [sign, putAll, complete]

/** A completion died after it was decided on, and before the storage was asked. */
async function beginOnly({ context, account }: Stage, id: string): Promise<void> {
  const keptForMs = context.settings.uploadsKeptForMs
  await context.database.of(account.id).beginCompletion(id, { keptForMs })
}

/** A completion died after the storage had made the object. */
async function beginAndStore(stage: Stage, id: string): Promise<void> {
  const { context, account } = stage
  await beginOnly(stage, id)
  const upload = await context.database.of(account.id).findUpload(id)
  const plan = { size: SIZE, chunkSize: upload?.chunkSize ?? 0, count: 2 }
  await context.storage.completeUpload({ key: id, id: upload?.storageId ?? '' }, plan, [])
}

/** The same, but a call that was refused beside it has reopened the upload. */
async function storeOnly(stage: Stage, id: string): Promise<void> {
  await beginAndStore(stage, id)
  await stage.context.database.of(stage.account.id).reopenUpload(id)
}

async function loseUpload({ context, account }: Stage, id: string): Promise<void> {
  const upload = await context.database.of(account.id).findUpload(id)
  await context.storage.abortUpload({ key: id, id: upload?.storageId ?? '' })
}

/** A cancellation died before it told the storage. */
async function cancelInDatabase({ context, account }: Stage, id: string): Promise<void> {
  await context.database.of(account.id).cancelUpload(id)
}

function withoutParts(model: Model): Model {
  return changeUpload(model, model.uploads[0]?.id ?? '', { parts: [] })
}

const isPut = ({ kind }: Command) => kind === 'put' || kind === 'putAll'

export const SCENES: Scene[] = [
  { name: 'sign', before: [], call: sign },
  { name: 'sign with a key', before: [], call: { ...sign, key: 'the-same' } },
  {
    name: 'sign again with its key',
    before: [{ ...sign, key: 'the-same' }, putAll],
    call: { ...sign, key: 'the-same' },
  },
  { name: 'complete', before: SENT, call: complete },
  { name: 'complete, naming no parts', before: SENT, call: { ...complete, etags: 'none' } },
  { name: 'complete, naming a wrong ETag', before: SENT, call: { ...complete, etags: 'wrong' } },
  { name: 'complete without all parts', before: PARTIAL, call: complete },
  { name: 'complete a ready one', before: READY, call: complete },
  {
    name: 'complete one that was cut off',
    before: SENT,
    arrange: beginOnly,
    cutOff: complete,
    call: complete,
  },
  {
    name: 'complete one whose object is stored',
    before: SENT,
    arrange: storeOnly,
    cutOff: complete,
    call: complete,
  },
  { name: 'cancel', before: SENT, call: cancel },
  {
    name: 'cancel one whose object is stored',
    before: SENT,
    arrange: storeOnly,
    cutOff: complete,
    call: cancel,
  },
  { name: 'resume', before: PARTIAL, call: resume },
  {
    name: 'resume one that the storage lost',
    before: SENT,
    arrange: loseUpload,
    arranged: withoutParts,
    call: resume,
    without: isPut,
  },
  {
    name: 'resume one that was cut off',
    before: SENT,
    arrange: beginAndStore,
    cutOff: complete,
    call: resume,
  },
  {
    name: 'resume one whose object is stored',
    before: SENT,
    arrange: storeOnly,
    cutOff: complete,
    call: resume,
  },
  {
    name: 'delete an upload',
    before: SENT,
    call: remove,
    // What has just ended is not forgotten, but the job is told that a week has passed.
    without: (command) => command.kind === 'job' && command.name === 'forgetEndedAssets',
  },
  { name: 'delete an asset', before: READY, call: remove },
  { name: 'resize', before: SENT, call: resize },
  { name: 'resize to less', before: PARTIAL, call: { ...resize, size: 12 } },
  {
    name: 'resize one that the storage lost',
    before: SENT,
    arrange: loseUpload,
    arranged: withoutParts,
    call: resize,
    without: isPut,
  },
  {
    name: 'resize one whose object is stored',
    before: SENT,
    arrange: storeOnly,
    cutOff: complete,
    call: resize,
  },
  { name: 'rename', before: READY, call: { kind: 'rename', upload: 0, name: 'a.zip' } },
  { name: 'attach', before: READY, call: attach },
  { name: 'detach', before: [...READY, attach], call: detach },
  { name: 'read', before: READY, call: { kind: 'read', upload: 0 } },
  { name: 'download', before: READY, call: { kind: 'download', upload: 0 } },
  { name: 'list', before: READY, call: { kind: 'list' } },
  { name: 'expireUploads', before: PARTIAL, call: expire },
  { name: 'expireUploads, all parts sent', before: SENT, call: expire },
  {
    name: 'expireUploads, the object stored',
    before: SENT,
    arrange: storeOnly,
    cutOff: complete,
    call: expire,
  },
  {
    name: 'finishCompletions',
    before: SENT,
    arrange: beginOnly,
    cutOff: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'finishCompletions, the object stored',
    before: SENT,
    arrange: beginAndStore,
    cutOff: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'finishCompletions, a part missing',
    before: PARTIAL,
    arrange: beginOnly,
    cutOff: complete,
    call: job('finishCompletions'),
  },
  {
    name: 'removeObjects, a cancelled upload',
    before: SENT,
    arrange: cancelInDatabase,
    cutOff: cancel,
    call: job('removeObjects'),
  },
  {
    name: 'removeObjects, a deleted asset',
    before: [...READY, remove],
    call: job('removeObjects'),
  },
  {
    name: 'removeOrphanedUploads, a cancelled upload',
    before: SENT,
    arrange: cancelInDatabase,
    cutOff: cancel,
    call: job('removeOrphanedUploads'),
  },
  {
    name: 'removeOrphanedUploads, an open upload',
    before: SENT,
    call: job('removeOrphanedUploads'),
  },
  { name: 'forgetEndedAssets', before: [...SENT, cancel], call: job('forgetEndedAssets') },
]

/** What is known of the call that was cut off: nobody got its answer. */
export function ghostOf({ cutOff }: Scene, id: string): Event[] {
  if (cutOff === undefined) return []
  return [{ client: 2, command: cutOff, seen: { status: CUT_OFF, id, parts: [] } }]
}
