import { ServiceError } from '../domain/errors.ts'
import { networkOf } from './client-address.ts'

/** A client may fail this often at once, and then once a second. */
const BURST = 100
const REFILL_MS = 1_000
/** The networks that failed most recently. At about 200 bytes each, they need 2 MB. */
const MAX_NETWORKS = 10_000

export interface FailedAuthentications {
  /**
   * Counts a request with a wrong key, upload token or session cookie from this address. Returns the error to respond
   * with: the given one, or `too_many_requests`.
   */
  count(address: string, error: ServiceError): { error: ServiceError; retryAfterSeconds?: number }
}

/**
 * Limits how often an address, or an IPv6 network, may send wrong credentials. Requests with valid ones are not
 * limited: a shop behind the same address is still served.
 */
export function openFailedAuthentications(clock: () => Date): FailedAuthentications {
  /** When the failures so far will be forgotten, by network. The network that failed least recently is the first. */
  const forgottenAt = new Map<string, number>()
  return {
    count(address, error) {
      const network = networkOf(address)
      const now = clock().getTime()
      const until = Math.max(now, forgottenAt.get(network) ?? 0)
      const excessMs = until + REFILL_MS - now - BURST * REFILL_MS
      forgottenAt.delete(network)
      // Refused requests do not count, so that the wait is as long as announced.
      forgottenAt.set(network, excessMs > 0 ? until : until + REFILL_MS)
      const [oldest] = forgottenAt.keys()
      if (forgottenAt.size > MAX_NETWORKS && oldest !== undefined) forgottenAt.delete(oldest)
      if (excessMs <= 0) return { error }
      const retryAfterSeconds = Math.ceil(excessMs / 1000)
      const message = `Too many requests with wrong keys came from this address. Check the key, and retry in ${retryAfterSeconds} s.`
      return { error: new ServiceError('too_many_requests', message), retryAfterSeconds }
    },
  }
}
