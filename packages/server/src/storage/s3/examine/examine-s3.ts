import type { Finding } from '../../../domain/finding.ts'
import { resolveLocation } from '../resolve-location.ts'
import { openClient } from '../s3-client.ts'
import type { Examination } from './examination.ts'
import { examineAccess } from './examine-access.ts'
import { examineClock } from './examine-clock.ts'
import { examineCors } from './examine-cors.ts'
import { examineCredentials } from './examine-credentials.ts'
import { examineLifecycle } from './examine-lifecycle.ts'
import { examineRoundTrip } from './examine-round-trip.ts'

/** The calls are small, so storage that responds at all responds quickly. */
const TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/**
 * Checks the bucket with the calls of a client, a browser and an operator. With `fix`, it repairs the
 * bucket's CORS and lifecycle rules. Stops at the first problem that would cause others.
 */
export async function* examineS3(
  options: Omit<Examination, 'client' | 'location'>,
): AsyncIterable<Finding> {
  const location = await resolveLocation(options).catch((error: Error) => error)
  if (location instanceof Error) {
    yield { check: 'storage', status: 'error', message: location.message }
    return
  }
  const client = openClient(options, { maxAttempts: 2, requestHandler: TIMEOUTS })
  try {
    const examination = { ...options, client, location }
    for (const examine of [examineClock, examineCredentials, examineAccess, examineRoundTrip]) {
      const finding = await examine(examination)
      yield finding
      if (finding.status === 'error') return
    }
    yield await examineCors(examination)
    yield await examineLifecycle(examination)
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const message = `the storage at ${options.endpoint ?? 'AWS'} does not respond like S3: ${reason.slice(0, 300)}`
    yield { check: 'storage', status: 'error', message }
  } finally {
    client.destroy()
  }
}
