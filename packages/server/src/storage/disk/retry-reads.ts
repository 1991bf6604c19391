import { setTimeout as pause } from 'node:timers/promises'
import { UnreadableObject } from '../../errors.ts'
import { isReadError } from './file-system.ts'

/** The pauses before a failed read is repeated. A disk often succeeds at a later attempt. */
const PAUSES_MS = [100, 1_000]

/** The file to read. With `key`, the error `UnreadableObject` names the object. */
export interface ReadSource {
  path: string
  key?: string
}

/** Repeats a read if the disk fails. Throws `UnreadableObject` if it fails repeatedly. */
export async function retryReads<Result>(
  source: ReadSource,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await read()
    } catch (error) {
      await pauseAfterReadError(error, failures, source)
    }
  }
}

/** Waits until a failed read can be repeated. Throws if the error has another cause, or after too many failures. */
export async function pauseAfterReadError(
  error: unknown,
  failures: number,
  { path, key }: ReadSource,
): Promise<void> {
  if (!isReadError(error)) throw error
  const pauseMs = PAUSES_MS[failures - 1]
  if (pauseMs === undefined)
    throw new UnreadableObject(`the disk cannot read ${path}: ${error}`, key)
  await pause(pauseMs)
}
