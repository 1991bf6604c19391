import type { Command } from '../model/commands.ts'

/* The calls of the test cases and of the concurrent clients. All of them use the first upload. */

/** Two parts. */
export const SIZE = 15
export const VARIANT = 1

export const sign = { kind: 'sign', size: SIZE } as const satisfies Command
export const putAll = { kind: 'putAll', upload: 0, content: 1 } as const satisfies Command
export const firstPart = { kind: 'put', upload: 0, part: 0, content: 1 } as const satisfies Command
export const complete = { kind: 'complete', upload: 0, etags: 'known' } as const satisfies Command
export const cancel = { kind: 'cancel', upload: 0 } as const satisfies Command
export const remove = { kind: 'delete', upload: 0 } as const satisfies Command
export const resume = { kind: 'resume', upload: 0 } as const satisfies Command
export const expire = { kind: 'expire', upload: 0 } as const satisfies Command
export const resize = { kind: 'resize', upload: 0, size: 18 } as const satisfies Command
export const secondPart = { kind: 'put', upload: 0, part: 1, content: 3 } as const satisfies Command
export const attach = { kind: 'attach', upload: 0, variant: VARIANT } as const satisfies Command
export const detach = { kind: 'detach', upload: 0, variant: VARIANT } as const satisfies Command

export function job(name: Extract<Command, { kind: 'job' }>['name']): Command {
  return { kind: 'job', name }
}
