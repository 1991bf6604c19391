import { setTimeout as pause } from 'node:timers/promises'
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { partsAtFault } from '../../domain/match-parts.ts'
import type { PartPlan } from '../../domain/parts.ts'
import type { CompletionOutcome, ObjectFacts, StoredPart } from '../storage.ts'
import type { Send } from './bounded-send.ts'
import { isFinalRefusal, isPartRefusal, reasonOf } from './s3-errors.ts'

interface Completion {
  send: Send
  upload: { Bucket: string; Key: string; UploadId: string }
  plan: PartPlan
  parts: { number: number; etag: string }[]
}

interface Questions {
  listParts(): Promise<StoredPart[] | undefined>
  findObject(): Promise<ObjectFacts | undefined>
}

const TRIES = 5
const PAUSE_MS = 100
/** How often neither the upload nor the object must be found. */
const LOOKS = 5

/**
 * Stores answer a completion in many ways: some repeat a success, some fail in parallel, some
 * answer 200 with an error inside. So after an error the object and the parts themselves are asked.
 */
export async function completeInS3(
  completion: Completion,
  questions: Questions,
): Promise<CompletionOutcome> {
  let misses = 0
  for (let attempt = 1; ; attempt += 1) {
    const [held, before] = await Promise.all([
      questions.listParts(),
      objectOutcome(completion, questions),
    ])
    // Swift takes and lists parts also of what is complete, and would make another object of them.
    if (before.outcome === 'completed') return before
    if (held === undefined) {
      // Another call may have completed it between the two answers; and some stores show an object
      // only a moment after its upload is closed.
      const outcome = await objectOutcome(completion, questions)
      misses += 1
      if (outcome.outcome === 'completed' || misses === LOOKS) return outcome
      await pause(PAUSE_MS * misses ** 2)
      continue
    }
    const atFault = partsAtFault(held, completion.plan, completion.parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    try {
      await completion.send(
        new CompleteMultipartUploadCommand({
          ...completion.upload,
          // Sorted and complete: some stores refuse anything else.
          MultipartUpload: {
            Parts: held.map(({ number, etag }) => ({ PartNumber: number, ETag: `"${etag}"` })),
          },
        }),
      )
      return { outcome: 'completed' }
    } catch (error) {
      const outcome = await objectOutcome(completion, questions)
      if (outcome.outcome === 'completed') return outcome
      // Another call may be completing it at this moment, or a client may be replacing a part again
      // and again.
      const hasLookedEnough = attempt >= (isPartRefusal(error) ? TRIES : 2)
      if (hasLookedEnough && isFinalRefusal(error)) {
        return { outcome: 'rejected', reason: reasonOf(error) }
      }
      if (attempt >= TRIES) throw error
      await pause(PAUSE_MS * attempt)
    }
  }
}

async function objectOutcome(
  { plan }: Completion,
  questions: Questions,
): Promise<CompletionOutcome> {
  const object = await questions.findObject()
  return object?.size === plan.size ? { outcome: 'completed' } : { outcome: 'gone' }
}
