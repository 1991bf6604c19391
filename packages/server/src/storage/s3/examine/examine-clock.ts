import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { type Examination, found, RESPONSE_TIMEOUT_MS } from './examination.ts'

/** S3 refuses requests whose signature is more than 15 minutes in the past or in the future. */
const REFUSED_SKEW_MS = 15 * 60_000
const NOTED_SKEW_MS = 60_000

/** Checks that the storage responds, with any status, and compares its clock with ours. */
export async function examineClock({ location, clock }: Examination): Promise<Finding> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    response = await fetch(location.origin, { method: 'HEAD', redirect: 'manual', signal })
  } catch (error) {
    const reason = error instanceof Error && error.cause ? error.cause : error
    return found('error', `no storage responds at ${location.origin}: ${reason}`, {
      remedy: 'start the storage, or set STOWAGE_S3_ENDPOINT to its URL',
    })
  }
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return found('ok', `the storage at ${location.origin} responds`)
  const skewMs = clock().getTime() - date
  if (Math.abs(skewMs) < NOTED_SKEW_MS) {
    return found(
      'ok',
      `the storage at ${location.origin} responds, and its clock agrees with this machine's`,
    )
  }
  const skew = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'}`
  const isRefused = Math.abs(skewMs) >= REFUSED_SKEW_MS
  const effect = isRefused
    ? 'the storage refuses signed requests'
    : 'the storage refuses signed requests if the difference exceeds 15 minutes'
  return found(
    isRefused ? 'error' : 'note',
    `this machine's clock is ${skew} the storage's: ${effect}`,
    { remedy: 'timedatectl set-ntp true' },
  )
}
