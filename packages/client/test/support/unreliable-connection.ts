import type { Random } from '@stowage/testing/machine/random'
import type { Fault } from './fault-proxy.ts'

/** The share of requests with a fault. */
const FAULT_PERCENT = 12

/** The same headers as those of the service and the storage, so that pages can read error responses. */
const READABLE = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}
const SOON = { ...READABLE, 'Retry-After': '0' }
const EXPIRED = JSON.stringify({ message: 'The URL has expired.', code: 'url_expired' })

export interface UnreliableConnection {
  /** Chooses the fault of each request to the storage or to the service. */
  fault(toStorage: boolean): () => Fault
  /** Lets all further requests pass. */
  stopFaults(): void
  /** How many times each fault occurred. */
  counts: Record<string, number>
}

/** A connection that randomly breaks, stalls, refuses requests and loses responses. */
export function anUnreliableConnection(random: Random): UnreliableConnection {
  const counts: Record<string, number> = {}
  let isReliable = false
  return {
    counts,
    stopFaults() {
      isReliable = true
    },
    fault: (toStorage) => () => {
      const decided: Fault = isReliable ? { kind: 'pass' } : randomFault(random, toStorage)
      const name = 'status' in decided ? `${decided.kind} ${decided.status}` : decided.kind
      counts[name] = (counts[name] ?? 0) + 1
      return decided
    },
  }
}

function randomFault(random: Random, toStorage: boolean): Fault {
  if (random.between(0, 100) >= FAULT_PERCENT) return { kind: 'pass' }
  const expire: Fault = { kind: 'refuse', status: 403, headers: READABLE, body: EXPIRED }
  return random.pick<Fault>([
    { kind: 'cut' },
    { kind: 'stall' },
    { kind: 'lose' },
    { kind: 'lose' },
    { kind: 'hang' },
    { kind: 'refuse', status: 500 },
    { kind: 'refuse', status: 503, headers: SOON },
    { kind: 'refuse', status: 429, headers: SOON },
    { kind: 'spoil', status: 502, body: '<html>Bad Gateway</html>' },
    toStorage ? expire : { kind: 'refuse', status: 408, headers: READABLE },
  ])
}
