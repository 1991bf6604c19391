import { AsyncLocalStorage } from 'node:async_hooks'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { OnPoint } from './watch-ports.ts'

const reaching = new AsyncLocalStorage<OnPoint>()

/** Everything that changes which files there are. Writing and syncing changes nothing that a killed process leaves. */
const STEPS = ['rename', 'mkdir', 'rm'] as const

/**
 * Makes every step of this thread on the file system a point: one before and one after it. For a
 * process of its own, as it replaces functions of Node.
 */
export function watchFiles(): void {
  for (const step of STEPS) {
    const original = promises[step] as (...args: unknown[]) => Promise<unknown>
    Object.assign(promises, {
      [step]: async (...args: unknown[]) => {
        const onPoint = reaching.getStore()
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

/** Steps on files inside the work are points. */
export function runWithFilePoints<Result>(
  onPoint: OnPoint,
  work: () => Promise<Result>,
): Promise<Result> {
  return reaching.run(onPoint, work)
}

/** IDs differ from run to run. */
function nameOf(path: unknown): string {
  const name = basename(String(path))
  if (name.endsWith('.sealed')) return 'a sealed upload'
  if (/^[0-9a-f-]{36}\./.test(name)) return 'an upload'
  if (/^[0-9a-f-]{36}$/.test(name)) return 'an object'
  if (/^[0-9a-f]{2}$/.test(name)) return 'a folder of objects'
  if (/^[0-9a-f]{16}$/.test(name)) return 'the trash'
  return name
}
