import { AsyncLocalStorage } from 'node:async_hooks'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { OnPoint } from '../interleavings/watch-ports.ts'

const onPointOfCaller = new AsyncLocalStorage<OnPoint>()

/** Steps that create, move or remove files. Writes and syncs make no difference after a kill: the kernel keeps the data. */
const STEPS = ['rename', 'mkdir', 'rm'] as const

/**
 * Adds a point before and after each of these file system calls of this thread. Replaces functions of
 * Node, so call it only in a separate process.
 */
export function watchFiles(): void {
  for (const step of STEPS) {
    const original = promises[step] as (...args: unknown[]) => Promise<unknown>
    Object.assign(promises, {
      [step]: async (...args: unknown[]) => {
        const onPoint = onPointOfCaller.getStore()
        if (onPoint === undefined) return original(...args)
        const name = `${step} ${nameOf(args[0])}`
        await onPoint(`before ${name}`)
        try {
          return await original(...args)
        } finally {
          await onPoint(`after ${name}`)
        }
      },
    })
  }
  syncBuiltinESMExports()
}

/** Runs the work with points at its file system calls. */
export function runWithFilePoints<Result>(
  onPoint: OnPoint,
  work: () => Promise<Result>,
): Promise<Result> {
  return onPointOfCaller.run(onPoint, work)
}

/** Replaces IDs, which differ between runs. */
function nameOf(path: unknown): string {
  const name = basename(String(path))
  if (name.endsWith('.sealed')) return 'a sealed upload'
  if (/^[0-9a-f-]{36}\./.test(name)) return 'an upload'
  if (/^[0-9a-f-]{36}$/.test(name)) return 'an object'
  if (/^[0-9a-f]{2}$/.test(name)) return 'a folder of objects'
  if (/^[0-9a-f]{16}$/.test(name)) return 'a folder in the trash'
  return name
}
