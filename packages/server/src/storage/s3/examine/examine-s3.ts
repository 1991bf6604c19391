import type { Finding } from '../../../domain/finding.ts'
import { resolveLocation } from '../resolve-location.ts'
import { openClient } from '../s3-client.ts'
import { type Examination, examineClock, examineCredentials, examineRights } from './examination.ts'
import { examineCors } from './examine-cors.ts'
import { examineLifecycle } from './examine-lifecycle.ts'
import { examineRoundTrip } from './examine-round-trip.ts'

/** Whoever answers at all, answers small questions soon. */
const PATIENCE = { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/**
 * Looks at a bucket as a client, a browser and an operator would. With `fix` it sets the bucket's
 * CORS and lifecycle rules. What follows from a first problem is not looked at.
 */
export async function* examineS3(
  options: Omit<Examination, 'client' | 'place'>,
): AsyncIterable<Finding> {
  const client = openClient(options, { maxAttempts: 2, requestHandler: PATIENCE })
  try {
    const examination = { ...options, client, place: await resolveLocation(options) }
    for (const examine of [examineClock, examineCredentials, examineRights, examineRoundTrip]) {
      const finding = await examine(examination)
      yield finding
      if (finding.verdict === 'wrong') return
    }
    yield await examineCors(examination)
    yield await examineLifecycle(examination)
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const says = `the store at ${options.endpoint ?? 'AWS'} does not answer as S3 does: ${reason.slice(0, 300)}`
    yield { about: 'storage', verdict: 'wrong', says }
  } finally {
    client.destroy()
  }
}
