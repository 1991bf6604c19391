import type { ErrorCode } from '@stowage/protocol/errors'
import type { ArchiveSource } from '../../domain/archive.ts'
import { EngineUnavailable, ServiceError } from '../../domain/errors.ts'

/* The listener's thread has no database: it asks its owner for the archives. */

type Calls = Pick<ArchiveSource, 'open' | 'check' | 'readSegment'>

/** A call of the listener to its owner. */
export interface ArchiveCall {
  type: 'archive'
  number: number
  name: keyof Calls
  args: unknown[]
}

export type ArchiveResult = { type: 'archive'; number: number } & (
  | { result: unknown }
  | { refusal: { code: ErrorCode; message: string } }
  | { outage: { engine: 'database' | 'storage'; message: string } }
)

export interface KeepCrc32 {
  type: 'keepCrc32'
  key: string
  crc32: number
}

/** The listener's side. */
export function askForArchives(send: (message: ArchiveCall | KeepCrc32) => void) {
  const waiting = new Map<number, (result: ArchiveResult) => void>()
  let count = 0

  const call =
    <Name extends keyof Calls>(name: Name) =>
    async (...args: Parameters<Calls[Name]>): Promise<never> => {
      count += 1
      const { promise, resolve } = Promise.withResolvers<ArchiveResult>()
      waiting.set(count, resolve)
      send({ type: 'archive', number: count, name, args })
      const answer = await promise
      if ('result' in answer) return answer.result as never
      if ('refusal' in answer) throw new ServiceError(answer.refusal.code, answer.refusal.message)
      throw new EngineUnavailable(answer.outage.engine, new Error(answer.outage.message))
    }

  const source: ArchiveSource = {
    open: call('open'),
    check: call('check'),
    readSegment: call('readSegment'),
    keepCrc32: (key, crc32) => send({ type: 'keepCrc32', key, crc32 }),
  }
  return {
    source,
    accept(result: ArchiveResult): void {
      waiting.get(result.number)?.(result)
      waiting.delete(result.number)
    },
  }
}

/** The owner's side. Never rejects. */
export async function answerArchiveCall(
  source: ArchiveSource,
  { number, name, args }: ArchiveCall,
): Promise<ArchiveResult> {
  const answer = { type: 'archive', number } as const
  try {
    const call = source[name] as (...args: unknown[]) => Promise<unknown>
    return { ...answer, result: await call(...args) }
  } catch (error) {
    if (error instanceof ServiceError) {
      return { ...answer, refusal: { code: error.code, message: error.message } }
    }
    const engine = error instanceof EngineUnavailable ? error.engine : 'database'
    const cause = error instanceof EngineUnavailable ? error.cause : error
    return { ...answer, outage: { engine, message: String(cause) } }
  }
}
