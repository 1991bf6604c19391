import {
  attach,
  beginDeleteAll,
  bulkDelete,
  bulkPurge,
  bulkRestore,
  complete,
  completeOther,
  deleteAll,
  emptyTrash,
  job,
  purge,
  putAll,
  putOther,
  remove,
  replace,
  restoreAsset,
  sign,
} from './calls.ts'
import type { TestCase } from './test-cases.ts'

const READY = [sign, putAll, complete, attach]
const TRASHED = [...READY, remove]
/** The second of two uploads is complete. */
const OTHER_READY = [sign, putAll, sign, putOther, completeOther]

/** Calls that delete or restore an asset, or compute its checksum. */
export const TRASH_CASES: TestCase[] = [
  { name: 'delete an asset to the trash', before: READY, call: remove },
  { name: 'delete an asset permanently', before: READY, call: purge },
  { name: 'delete an asset in the trash permanently', before: TRASHED, call: purge },
  {
    name: 'delete a file with a replacement permanently',
    before: [...READY, replace],
    call: purge,
  },
  { name: 'restore an asset', before: TRASHED, call: restoreAsset },
  { name: 'delete in bulk', before: READY, call: bulkDelete },
  {
    name: 'delete in bulk permanently, a file with a replacement',
    before: [...READY, replace],
    call: bulkPurge,
  },
  { name: 'restore in bulk', before: TRASHED, call: bulkRestore },
  { name: 'computeChecksums, an asset', before: READY, call: job('computeChecksums') },
  {
    name: 'computeChecksums, an asset in the trash',
    before: TRASHED,
    call: job('computeChecksums'),
  },
]

/** The same for calls that change all assets of the account. */
export const ACCOUNT_TRASH_CASES: TestCase[] = [
  { name: 'empty the trash', before: TRASHED, call: emptyTrash },
  { name: 'delete all assets', before: READY, call: deleteAll },
  {
    name: 'continueDeletions',
    before: [...READY, beginDeleteAll],
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
]
