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
export const emptyTrash = { kind: 'emptyTrash' } as const satisfies Command
export const resume = { kind: 'resume', upload: 0 } as const satisfies Command
export const expire = { kind: 'expire', upload: 0 } as const satisfies Command
export const resize = { kind: 'resize', upload: 0, size: 18 } as const satisfies Command
export const secondPart = { kind: 'put', upload: 0, part: 1, content: 3 } as const satisfies Command
export const attach = { kind: 'attach', upload: 0, variant: VARIANT } as const satisfies Command
export const detach = { kind: 'detach', upload: 0, variant: VARIANT } as const satisfies Command

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

export function plan(bytes: number): Command {
  return { kind: 'changePlan', bytes }
}

export function job(name: Extract<Command, { kind: 'job' }>['name']): Command {
  return { kind: 'job', name }
}
