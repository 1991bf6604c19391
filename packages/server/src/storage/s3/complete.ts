import { setTimeout as pause } from 'node:timers/promises'
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { partsAtFault } from '../../domain/match-parts.ts'
import type { PartPlan } from '../../domain/parts.ts'
import type { CompletionOutcome, StoredPart } from '../storage.ts'
import type { Send } from './bounded-send.ts'
import { isFinalRefusal, isPartRefusal, reasonOf } from './s3-errors.ts'

interface Completion {
  send: Send
  upload: { Bucket: string; Key: string; UploadId: string }
  plan: PartPlan
  parts: { number: number; etag: string }[]
}

interface Queries {
  listParts(): Promise<StoredPart[] | undefined>
  findObject(): Promise<{ size: number } | undefined>
}

const MAX_ATTEMPTS = 5
const PAUSE_MS = 100
/** After this many checks that find neither the upload nor the object, the upload counts as gone. */
const MAX_MISSES = 5

/**
 * Storage systems respond to a completion differently: some repeat a success, some fail concurrent calls, some
 * respond 200 with an error in the body. So after an error, this checks the object and the parts.
 */
export async function completeInS3(
  completion: Completion,
  queries: Queries,
): Promise<CompletionOutcome> {
  let misses = 0
  for (let attempt = 1; ; attempt += 1) {
    const [received, before] = await Promise.all([
      queries.listParts(),
      objectOutcome(completion, queries),
    ])
    // Swift accepts and lists parts even after the completion, and completing again would create another object.
    if (before.outcome === 'completed') return before
    if (received === undefined) {
      // Another call may have completed it between the two queries, and on some storage an object
      // appears only a moment after its upload is closed.
      const outcome = await objectOutcome(completion, queries)
      misses += 1
      if (outcome.outcome === 'completed' || misses === MAX_MISSES) return outcome
      await pause(PAUSE_MS * misses ** 2)
      continue
    }
    const atFault = partsAtFault(received, completion.plan, completion.parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    try {
      await completion.send(
        new CompleteMultipartUploadCommand({
          ...completion.upload,
          // Sorted and complete, as some storage systems refuse anything else.
          MultipartUpload: {
            Parts: received.map(({ number, etag }) => ({ PartNumber: number, ETag: `"${etag}"` })),
          },
        }),
      )
      return { outcome: 'completed' }
    } catch (error) {
      const outcome = await objectOutcome(completion, queries)
      if (outcome.outcome === 'completed') return outcome
      // Another call may be completing it, or a client may be replacing a part repeatedly.
      const isLastAttempt = attempt >= (isPartRefusal(error) ? MAX_ATTEMPTS : 2)
      if (isLastAttempt && isFinalRefusal(error)) {
        return { outcome: 'rejected', reason: reasonOf(error) }
      }
      if (attempt >= MAX_ATTEMPTS) throw error
      await pause(PAUSE_MS * attempt)
    }
  }
}

async function objectOutcome({ plan }: Completion, queries: Queries): Promise<CompletionOutcome> {
  const object = await queries.findObject()
  return object?.size === plan.size ? { outcome: 'completed' } : { outcome: 'gone' }
}
