import type { Command } from '../model/commands.ts'

/* The calls of the test cases and of the concurrent clients. The last group uses two uploads, the others only one. */

/** Two parts. */
export const SIZE = 15
export const VARIANT = 1

export const sign = { kind: 'sign', size: SIZE } as const satisfies Command
export const signByToken = { kind: 'sign', size: SIZE, byToken: true } as const satisfies Command
export const putAll = { kind: 'putAll', upload: 0, content: 1 } as const satisfies Command
export const firstPart = { kind: 'put', upload: 0, part: 0, content: 1 } as const satisfies Command
export const complete = { kind: 'complete', upload: 0, etags: 'known' } as const satisfies Command
export const cancel = { kind: 'cancel', upload: 0 } as const satisfies Command
export const remove = { kind: 'delete', upload: 0 } as const satisfies Command
export const purge = { kind: 'delete', upload: 0, isPermanent: true } as const satisfies Command
export const restoreAsset = { kind: 'restoreAsset', upload: 0 } as const satisfies Command
export const bulkDelete = { kind: 'bulkDelete', uploads: [0] } satisfies Command
export const bulkPurge = { kind: 'bulkDelete', uploads: [0], isPermanent: true } satisfies Command
export const bulkRestore = { kind: 'bulkRestore', uploads: [0] } satisfies Command
export const deleteAll = { kind: 'deleteAll' } as const satisfies Command
export const beginDeleteAll = { kind: 'beginDeleteAll' } as const satisfies Command
export const intoFolder = {
  kind: 'rename',
  upload: 0,
  name: 'b.zip',
  path: 'a/b',
} as const satisfies Command
export const bulkMove = { kind: 'bulkMove', uploads: [0], path: 'a' } satisfies Command
export const beginBulkDelete = {
  kind: 'beginBulk',
  action: 'delete',
  uploads: [0],
} satisfies Command
export const beginBulkPurge = { ...beginBulkDelete, action: 'purge' } satisfies Command
export const beginBulkRestore = { ...beginBulkDelete, action: 'restore' } satisfies Command
export const beginBulkTag = { ...beginBulkDelete, action: 'tag' } satisfies Command
export const cancelBulk = { kind: 'endBulk', how: 'cancel' } satisfies Command
export const undoBulk = { kind: 'endBulk', how: 'undo' } satisfies Command
export const beginMoveFolder = {
  kind: 'beginMoveFolder',
  from: 'a',
  to: 'b',
} as const satisfies Command
export const emptyTrash = { kind: 'emptyTrash' } as const satisfies Command
export const resume = { kind: 'resume', upload: 0 } as const satisfies Command
export const expire = { kind: 'expire', upload: 0 } as const satisfies Command
export const resize = { kind: 'resize', upload: 0, size: 18 } as const satisfies Command
const secondPart = { kind: 'put', upload: 0, part: 1, content: 3 } as const satisfies Command
export const attach = { kind: 'attach', upload: 0, variant: VARIANT } as const satisfies Command
export const detach = { kind: 'detach', upload: 0, variant: VARIANT } as const satisfies Command

export const tag = { kind: 'retag', upload: 0, tags: ['one'] } satisfies Command
export const bulkTag = {
  kind: 'bulkTag',
  uploads: [0],
  tags: ['One', 'two'],
  isRemoval: false,
} satisfies Command
export const bulkUntag = { ...bulkTag, isRemoval: true } satisfies Command

/* The second upload is another file. */
export const putOther = { kind: 'putAll', upload: 1, content: 5 } as const satisfies Command
export const completeOther = {
  kind: 'complete',
  upload: 1,
  etags: 'known',
} as const satisfies Command

/* The second upload replaces the file of the first upload. */
export const replace = { kind: 'replace', upload: 0, size: 12 } as const satisfies Command
export const replaceByToken = { ...replace, byToken: true } as const satisfies Command
/* It declares the digest of its bytes, or of others. */
export const replaceDeclared = { ...replace, declares: 4 } as const satisfies Command
export const replaceWrongly = { ...replace, declares: 5 } as const satisfies Command
export const putNew = { kind: 'putAll', upload: 1, content: 4 } as const satisfies Command
export const completeNew = {
  kind: 'complete',
  upload: 1,
  etags: 'known',
} as const satisfies Command
export const cancelNew = { kind: 'cancel', upload: 1 } as const satisfies Command
export const resumeNew = { kind: 'resume', upload: 1 } as const satisfies Command
export const expireNew = { kind: 'expire', upload: 1 } as const satisfies Command
export const restoreFirst = { kind: 'restore', upload: 0, version: 1 } as const satisfies Command
export const deleteFirst = {
  kind: 'deleteVersion',
  upload: 0,
  version: 1,
} as const satisfies Command

/* Sizes of a stream of unknown length, on a plan that does not have this much free room. */
export const signEstimate = { kind: 'sign', size: 100, minSize: 12 } as const satisfies Command
export const resizeOther = {
  kind: 'resize',
  upload: 1,
  size: 100,
  minSize: 15,
} as const satisfies Command

export function plan(bytes: number, assets: number | null = null): Command {
  return { kind: 'changePlan', bytes, assets }
}

export function job(name: Extract<Command, { kind: 'job' }>['name']): Command {
  return { kind: 'job', name }
}

/** Sequences of calls that another client or instance makes while a call is paused. */
export const CONCURRENT_CALLS: Record<string, Command[]> = {
  'sign with the same key': [{ ...sign, key: 'the-same' }],
  'sign with the same key, send, complete': [{ ...sign, key: 'the-same' }, putAll, complete],
  'sign with the same key, cancel': [{ ...sign, key: 'the-same' }, cancel],
  'send a part again': [firstPart],
  'replace a part': [{ ...firstPart, content: 2 }],
  'replace a part, complete': [{ ...firstPart, content: 2 }, complete],
  'replace all parts, complete': [{ ...putAll, content: 2 }, complete],
  'send all parts, complete': [putAll, complete],
  complete: [complete],
  'complete without a part list': [{ ...complete, etags: 'none' }],
  'complete with a wrong ETag': [{ ...complete, etags: 'wrong' }],
  cancel: [cancel],
  resume: [resume],
  delete: [remove],
  'complete, delete': [complete, remove],
  resize: [resize],
  shrink: [{ ...resize, size: 12 }],
  'resize, send the last part, complete': [resize, secondPart, complete],
  rename: [{ kind: 'rename', upload: 0, name: 'b.zip', path: 'moved' }],
  tag: [tag],
  'untag in bulk': [bulkUntag],
  attach: [attach],
  detach: [detach],
  read: [{ kind: 'read', upload: 0 }],
  download: [{ kind: 'download', upload: 0 }],
  list: [{ kind: 'list' }],
  account: [{ kind: 'account' }],
  expireUploads: [expire],
  finishCompletions: [job('finishCompletions')],
  'replace a part, finishCompletions': [{ ...firstPart, content: 2 }, job('finishCompletions')],
  removeObjects: [job('removeObjects')],
  removeOrphanedUploads: [job('removeOrphanedUploads')],
  forgetEndedAssets: [job('forgetEndedAssets')],
  computeChecksums: [job('computeChecksums')],
  'cancel, removeObjects, forgetEndedAssets': [
    cancel,
    job('removeObjects'),
    job('forgetEndedAssets'),
  ],
  'complete, delete permanently, removeObjects': [complete, purge, job('removeObjects')],
}

/** The same for an estimated size on a nearly full plan. They take or free room, and leave the paused upload as it is. */
export const CONCURRENT_ESTIMATE_CALLS: Record<string, Command[]> = {
  sign: [sign],
  'sign a file of the free size': [{ ...sign, size: 30 }],
  'sign an estimate': [signEstimate],
  cancel: [cancel],
  resize: [resize],
  complete: [complete],
  'complete, delete': [complete, remove],
  'complete, delete, sign': [complete, remove, { ...sign, size: 30 }],
  'complete, delete permanently': [complete, purge],
  'restore from the trash': [restoreAsset],
  'empty the trash, removeObjects': [emptyTrash, job('removeObjects')],
  account: [{ kind: 'account' }],
}

/** The same for a plan that allows one more asset. */
export const CONCURRENT_ASSET_CALLS: Record<string, Command[]> = {
  sign: [sign],
  'store a link': [{ kind: 'storeLink', name: 'a link' }],
  cancel: [cancel],
  'cancel, sign': [cancel, sign],
  'restore from the trash': [restoreAsset],
  'restore in bulk': [bulkRestore],
  'delete the asset permanently': [purge],
  expireUploads: [expire],
  account: [{ kind: 'account' }],
}

/** The same for a file that is or was replaced. */
export const CONCURRENT_VERSION_CALLS: Record<string, Command[]> = {
  replace: [replace],
  'replace, send, complete': [replace, putNew, completeNew],
  'complete the replacement, computeChecksums': [completeNew, job('computeChecksums')],
  computeChecksums: [job('computeChecksums')],
  'complete the replacement': [completeNew],
  'cancel the replacement': [cancelNew],
  'resume the replacement': [resumeNew],
  'expire the replacement': [expireNew],
  'restore version 1': [restoreFirst],
  'delete version 1': [deleteFirst],
  'list versions': [{ kind: 'versions', upload: 0 }],
  'complete the replacement, restore version 1': [completeNew, restoreFirst],
  'complete the replacement, delete version 1, removeObjects': [
    completeNew,
    deleteFirst,
    job('removeObjects'),
  ],
  'delete permanently, removeObjects': [purge, job('removeObjects')],
  'delete, restore': [remove, restoreAsset],
  'complete the replacement, delete': [completeNew, remove],
  rename: [{ kind: 'rename', upload: 0, name: 'b.zip', path: 'moved' }],
  tag: [tag],
  finishCompletions: [job('finishCompletions')],
  removeOrphanedUploads: [job('removeOrphanedUploads')],
}

/** The same for a file that is or was in the trash. */
export const CONCURRENT_TRASH_CALLS: Record<string, Command[]> = {
  delete: [remove],
  'restore from the trash': [restoreAsset],
  'delete, restore from the trash': [remove, restoreAsset],
  'restore from the trash, delete': [restoreAsset, remove],
  'delete permanently, removeObjects': [purge, job('removeObjects')],
  'delete, empty the trash, removeObjects': [remove, emptyTrash, job('removeObjects')],
  'empty the trash': [emptyTrash],
  'delete in bulk': [bulkDelete],
  'restore in bulk': [bulkRestore],
  'delete all': [deleteAll],
  'delete all, restore from the trash': [deleteAll, restoreAsset],
  'emptyTrash job, removeObjects': [job('emptyTrash'), job('removeObjects')],
  'begin to delete all': [beginDeleteAll],
  'begin to delete all, delete, restore from the trash': [beginDeleteAll, remove, restoreAsset],
  complete: [complete],
  'move to a folder': [intoFolder],
  'move to a folder in bulk': [bulkMove],
  'begin to move a folder': [intoFolder, beginMoveFolder],
  'begin to move a folder, leave and return': [
    intoFolder,
    beginMoveFolder,
    { ...intoFolder, path: null },
    intoFolder,
  ],
  continueFolderMoves: [job('continueFolderMoves')],
  'begin to remove from the trash in bulk': [beginBulkPurge],
  'begin to tag in bulk, continueBulkJobs': [beginBulkTag, job('continueBulkJobs')],
  continueBulkJobs: [job('continueBulkJobs')],
  'cancel the change in bulk': [cancelBulk],
  'undo the change in bulk': [undoBulk],
  'cancel and undo the change in bulk': [cancelBulk, undoBulk],
  continueDeletions: [job('continueDeletions')],
  computeChecksums: [job('computeChecksums')],
  'delete, computeChecksums, empty the trash, removeObjects': [
    remove,
    job('computeChecksums'),
    emptyTrash,
    job('removeObjects'),
  ],
  replace: [replace],
  'complete the replacement': [completeNew],
  attach: [attach],
  tag: [tag],
  'tag in bulk': [bulkTag],
  'list the trash': [{ kind: 'trash' }],
  account: [{ kind: 'account' }],
}
