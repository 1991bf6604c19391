import type { Random } from '@stowage/testing/machine/random'
import type { Fault } from './fault-proxy.ts'

/** Of a hundred requests, so many meet a fault. */
const FAULTS_PERCENT = 12

/** The service and the storage let pages read their refusals. */
const READABLE = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}
const SOON = { ...READABLE, 'Retry-After': '0' }
const EXPIRED = JSON.stringify({ message: 'This address ran out.', code: 'address_expired' })

export interface BadLine {
  /** What becomes of a request, to the storage or to the service. */
  fault(toStorage: boolean): () => Fault
  /** From now on everything passes. */
  calm(): void
  /** How often each has happened. */
  counts: Record<string, number>
}

/** Breaks, stalls, refuses and loses answers, as the random numbers say. */
export function aBadLine(random: Random): BadLine {
  const counts: Record<string, number> = {}
  let isCalm = false
  return {
    counts,
    calm() {
      isCalm = true
    },
    fault: (toStorage) => () => {
      const decided: Fault = isCalm ? { kind: 'pass' } : someFault(random, toStorage)
      const name = 'status' in decided ? `${decided.kind} ${decided.status}` : decided.kind
      counts[name] = (counts[name] ?? 0) + 1
      return decided
    },
  }
}

function someFault(random: Random, toStorage: boolean): Fault {
  if (random.between(0, 100) >= FAULTS_PERCENT) return { kind: 'pass' }
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
