import { ServiceError } from '../domain/errors.ts'
import { networkOf } from './client-address.ts'

/** The networks that sent requests most recently. At about 200 bytes each, they need 2 MB. */
const MAX_NETWORKS = 10_000

/** Limits how often an address, or an IPv6 network, may do something. */
export interface AddressLimit {
  /** Counts a request. Returns undefined, or after how many seconds the address may try again. */
  exceed(address: string): number | undefined
}

interface Rate {
  burst: number
  refillMs: number
}

/** An address may do it `burst` times at once, and then once every `refillMs`. */
export function openAddressLimit(clock: () => Date, rate: Rate): AddressLimit {
  const limit = openLimit(clock, rate)
  return { exceed: (address) => limit.exceed(networkOf(address)) }
}

/** The same for each text. */
export function openLimit(clock: () => Date, { burst, refillMs }: Rate): AddressLimit {
  /** When the requests so far will be forgotten, by network. The network with the oldest request is the first. */
  const forgottenAt = new Map<string, number>()
  return {
    exceed(network) {
      const now = clock().getTime()
      const until = Math.max(now, forgottenAt.get(network) ?? 0)
      const excessMs = until + refillMs - now - burst * refillMs
      forgottenAt.delete(network)
      // Refused requests do not count, so that the wait is as long as announced.
      forgottenAt.set(network, excessMs > 0 ? until : until + refillMs)
      const [oldest] = forgottenAt.keys()
      if (forgottenAt.size > MAX_NETWORKS && oldest !== undefined) forgottenAt.delete(oldest)
      return excessMs <= 0 ? undefined : Math.ceil(excessMs / 1000)
    },
  }
}

/** A client may fail this often at once, and then once a second. */
const FAILURES = { burst: 100, refillMs: 1_000 }

export interface FailedAuthentications {
  /**
   * Counts a request with a wrong key, upload token or session cookie from this address. Returns the error to respond
   * with: the given one, or `too_many_requests`.
   */
  count(address: string, error: ServiceError): { error: ServiceError; retryAfterSeconds?: number }
}

/**
 * Limits how often an address may send wrong credentials. Requests with valid ones are not limited: a shop behind the
 * same address is still served.
 */
export function openFailedAuthentications(clock: () => Date): FailedAuthentications {
  const limit = openAddressLimit(clock, FAILURES)
  return {
    count(address, error) {
      const retryAfterSeconds = limit.exceed(address)
      if (retryAfterSeconds === undefined) return { error }
      const message = `Too many requests with wrong keys came from this address. Check the key, and retry in ${retryAfterSeconds} s.`
      return { error: new ServiceError('too_many_requests', message), retryAfterSeconds }
    },
  }
}
