import type { Command } from '../model/commands.ts'
import {
  cancelNew,
  complete,
  completeNew,
  deleteFirst,
  expireNew,
  job,
  putAll,
  putNew,
  remove,
  replace,
  replaceByToken,
  replaceDeclared,
  replaceWrongly,
  restoreFirst,
  resumeNew,
  sign,
} from './calls.ts'
import type { Harness } from './harness.ts'
import type { TestCase } from './test-cases.ts'

const READY = [sign, putAll, complete]
const SENT = [...READY, replace, putNew]
const SENT_BY_TOKEN = [...READY, replaceByToken, putNew]
const REPLACED = [...SENT, completeNew]
const SENT_DECLARED = [...READY, replaceDeclared, putNew]
const WITHHELD = [...SENT_DECLARED, completeNew]
const WRONG = [...READY, replaceWrongly, putNew, completeNew]
const NEW_SIZE = replace.size

/** The test's job forgets replacements that ended just now. The real job waits a week. */
const isForgetting = (command: Command) =>
  command.kind === 'job' && command.name === 'forgetEndedAssets'

/** The row of the unfinished replacement. */
async function unfinished({ context, account }: Harness) {
  const { rows } = await context.database.of(account.id).listUploads({ page: 1, perPage: 1000 })
  const upload = rows.find(({ replaces }) => replaces !== null)
  if (upload === undefined) throw new Error('there is no unfinished replacement')
  return upload
}

/** A completion was interrupted after `beginCompletion`, before it called the storage. */
async function beginOnly(harness: Harness): Promise<void> {
  const { context, account } = harness
  const keptForMs = context.settings.uploadsKeptForMs
  const { asset } = await unfinished(harness)
  await context.database.of(account.id).beginCompletion(asset.id, { keptForMs })
}

/** A completion was interrupted after the storage created the object. */
async function beginAndStore(harness: Harness): Promise<void> {
  const { key, storageId, chunkSize } = await unfinished(harness)
  await beginOnly(harness)
  const plan = { size: NEW_SIZE, chunkSize, count: 2 }
  await harness.context.storage.completeUpload({ key, id: storageId }, plan, [])
}

/** As `beginAndStore`, but a concurrent call that failed has reopened the upload. */
async function storeOnly(harness: Harness): Promise<void> {
  const { asset } = await unfinished(harness)
  await beginAndStore(harness)
  await harness.context.database.of(harness.account.id).reopenUpload(asset.id)
}

/** Calls that replace files, or change files that are or were replaced. */
export const VERSION_CASES: TestCase[] = [
  { name: 'replace', before: READY, call: replace, isExcluded: isForgetting },
  {
    name: 'complete a replacement',
    before: SENT,
    call: completeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'complete a replacement again after an interrupted completion',
    before: SENT,
    setUp: beginOnly,
    interrupted: completeNew,
    call: completeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'complete a replacement whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: completeNew,
    call: completeNew,
    isExcluded: isForgetting,
  },
  { name: 'cancel a replacement', before: SENT, call: cancelNew, isExcluded: isForgetting },
  {
    name: 'resume a replacement whose object is stored',
    before: SENT,
    setUp: storeOnly,
    interrupted: completeNew,
    call: resumeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'replace with an upload token',
    before: READY,
    call: replaceByToken,
    isExcluded: isForgetting,
  },
  {
    name: 'complete a replacement of an upload token',
    before: SENT_BY_TOKEN,
    call: completeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'complete a replacement of an upload token again after an interrupted completion',
    before: SENT_BY_TOKEN,
    setUp: beginOnly,
    interrupted: completeNew,
    call: completeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'cancel a replacement of an upload token',
    before: SENT_BY_TOKEN,
    call: cancelNew,
    isExcluded: isForgetting,
  },
  {
    name: 'resume a replacement of an upload token whose object is stored',
    before: SENT_BY_TOKEN,
    setUp: storeOnly,
    interrupted: completeNew,
    call: resumeNew,
    isExcluded: isForgetting,
  },
  { name: 'expire a replacement', before: SENT, call: expireNew },
  { name: 'delete an asset with an unfinished replacement', before: SENT, call: remove },
  {
    name: 'delete an asset whose replacement is being completed',
    before: SENT,
    setUp: beginAndStore,
    interrupted: completeNew,
    call: remove,
  },
  { name: 'delete a replaced asset', before: REPLACED, call: remove },
  { name: 'restore a version', before: REPLACED, call: restoreFirst },
  { name: 'delete a version', before: REPLACED, call: deleteFirst },
  { name: 'replace a replaced file', before: REPLACED, call: replace, isExcluded: isForgetting },
  {
    name: 'download a file with an unfinished replacement',
    before: SENT,
    call: { kind: 'download', upload: 0 },
  },
  {
    name: 'finishCompletions, a replacement',
    before: SENT,
    setUp: beginAndStore,
    interrupted: completeNew,
    call: job('finishCompletions'),
  },
  { name: 'computeChecksums, a replaced file', before: REPLACED, call: job('computeChecksums') },
  {
    name: 'complete a replacement with a declared digest',
    before: SENT_DECLARED,
    call: completeNew,
    isExcluded: isForgetting,
  },
  {
    name: 'computeChecksums, a replaced file with a declared digest',
    before: WITHHELD,
    call: job('computeChecksums'),
  },
  {
    name: 'computeChecksums, a replaced file with a wrong digest',
    before: WRONG,
    call: job('computeChecksums'),
  },
  {
    name: 'download a replaced file that is being compared',
    before: WITHHELD,
    call: { kind: 'download', upload: 0 },
  },
  {
    name: 'replace a replaced file that is being compared',
    before: WITHHELD,
    call: replace,
    isExcluded: isForgetting,
  },
  {
    name: 'restore a version while the current one is being compared',
    before: WITHHELD,
    call: restoreFirst,
  },
  {
    name: 'removeObjects, a deleted version',
    before: [...REPLACED, deleteFirst],
    call: job('removeObjects'),
  },
]
