import type { ErrorCode } from '@stowage/protocol/errors'
import { EngineUnavailable, ServiceError } from '../../domain/errors.ts'
import type { OwnerSource } from '../storage.ts'

/* The listener's thread has no database: it asks its owner. */

/** A call of the listener to its owner. */
export interface OwnerCall {
  type: 'call'
  number: number
  name: keyof OwnerSource
  args: unknown[]
}

export type OwnerResult = { type: 'call'; number: number } & (
  | { result: unknown }
  | { refusal: { code: ErrorCode; message: string } }
  | { outage: { engine: 'database' | 'storage'; message: string } }
)

/** The listener's side. */
export function askOwner(send: (message: OwnerCall) => void) {
  const waiting = new Map<number, (result: OwnerResult) => void>()
  let count = 0

  const call =
    <Name extends keyof OwnerSource>(name: Name) =>
    async (...args: Parameters<OwnerSource[Name]>): Promise<never> => {
      count += 1
      const { promise, resolve } = Promise.withResolvers<OwnerResult>()
      waiting.set(count, resolve)
      send({ type: 'call', number: count, name, args })
      const answer = await promise
      if ('result' in answer) return answer.result as never
      if ('refusal' in answer) throw new ServiceError(answer.refusal.code, answer.refusal.message)
      throw new EngineUnavailable(answer.outage.engine, new Error(answer.outage.message))
    }

  const source: OwnerSource = {
    open: call('open'),
    check: call('check'),
    readSegment: call('readSegment'),
    continueDownload: call('continueDownload'),
    keepCrc32: call('keepCrc32'),
  }
  return {
    source,
    accept(result: OwnerResult): void {
      waiting.get(result.number)?.(result)
      waiting.delete(result.number)
    },
  }
}

/** The owner's side. Never rejects. */
export async function answerOwnerCall(
  source: OwnerSource,
  { number, name, args }: OwnerCall,
): Promise<OwnerResult> {
  const answer = { type: 'call', number } as const
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
