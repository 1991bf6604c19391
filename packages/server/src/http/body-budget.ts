import { ServiceError } from '../domain/errors.ts'

const MIB = 2 ** 20

/** How many bytes of request bodies one instance holds in memory, from the first byte until the call has ended. */
const LIMITS = { caller: 32 * MIB, account: 64 * MIB, instance: 192 * MIB }
/** Larger bodies may use three quarters of each limit. So they never keep out the small ones, which most calls have. */
const SMALL_BODY = 64 * 1024
const LARGE_SHARE = 0.75
/**
 * An account whose bodies use little (4 MiB) may use more of the instance than the others: several accounts that hold
 * large bodies do not keep it out.
 */
const MODEST_ACCOUNT = 1 / 16
const MODEST_SHARE = 0.875
/** A body waits this long for others to end: a burst of large bodies is slowed down, and not refused. */
const WAIT_MS = 3_000
const MAX_WAITING_PER_ACCOUNT = 100

interface BodySender {
  accountId: string
  /** The key, the upload token or the admin key. */
  callerId: string
}

/** The bytes that one body may use. */
export interface BodyLease {
  /** Waits until the body may use this many more bytes. Throws `too_many_requests` or `overloaded`. */
  grow(bytes: number): Promise<void>
  /** Idempotent. */
  release(): void
}

export interface BodyBudget {
  /** Waits until a body may use this many bytes. Throws `too_many_requests` or `overloaded`. */
  lease(sender: BodySender, bytes: number): Promise<BodyLease>
  /** The bytes of all bodies. */
  used(): number
}

interface Waiting {
  tryTake(): boolean
  take(): void
}

/**
 * Limits the memory of request bodies: without it, a client that sends large bodies except for their last bytes could
 * use up the memory of the process. Each caller and each account has a limit well below that of the instance, so that
 * none can keep out the others. A body that has to wait is not read meanwhile.
 */
export function openBodyBudget({ limits = LIMITS, waitMs = WAIT_MS } = {}): BodyBudget {
  const usedBy = new Map<string, number>()
  const waitingOf = new Map<string, number>()
  const queue = new Set<Waiting>()

  function add(counts: Map<string, number>, name: string, change: number): void {
    const count = (counts.get(name) ?? 0) + change
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }

  function openLease({ accountId, callerId }: BodySender): BodyLease {
    const levels = [
      { name: `caller ${callerId}`, limit: limits.caller },
      { name: `account ${accountId}`, limit: limits.account },
      { name: 'instance', limit: limits.instance },
    ] as const
    const [, { name: accountName }] = levels
    let held = 0
    let isReleased = false

    function isFull({ name, limit }: { name: string; limit: number }, bytes: number): boolean {
      const ofAccount = (usedBy.get(accountName) ?? 0) + bytes
      const isModest = name === 'instance' && ofAccount <= limits.account * MODEST_ACCOUNT
      const share = held + bytes <= SMALL_BODY ? 1 : isModest ? MODEST_SHARE : LARGE_SHARE
      return (usedBy.get(name) ?? 0) + bytes > limit * share
    }

    function tryTake(bytes: number): boolean {
      if (levels.some((level) => isFull(level, bytes))) return false
      for (const { name } of levels) add(usedBy, name, bytes)
      held += bytes
      return true
    }

    function refusal(bytes: number): ServiceError {
      const isOwn = levels.slice(0, 2).some((level) => isFull(level, bytes))
      return isOwn
        ? new ServiceError(
            'too_many_requests',
            'Too many large request bodies are being received from this key or account. Send fewer at the same time.',
          )
        : new ServiceError(
            'overloaded',
            'The service is receiving too many large request bodies at the moment. Nothing was changed. Retry in a moment.',
          )
    }

    return {
      async grow(bytes) {
        if (isReleased || tryTake(bytes)) return
        if ((waitingOf.get(accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT) throw refusal(bytes)
        add(waitingOf, accountId, 1)
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const waiting = { tryTake: () => isReleased || tryTake(bytes), take: resolve }
        queue.add(waiting)
        const timer = setTimeout(() => reject(refusal(bytes)), waitMs)
        try {
          await promise
        } finally {
          clearTimeout(timer)
          queue.delete(waiting)
          add(waitingOf, accountId, -1)
        }
      },
      release() {
        if (isReleased) return
        isReleased = true
        for (const { name } of levels) add(usedBy, name, -held)
        for (const waiting of queue) {
          if (!waiting.tryTake()) continue
          queue.delete(waiting)
          waiting.take()
        }
      },
    }
  }

  return {
    async lease(sender, bytes) {
      const lease = openLease(sender)
      await lease.grow(bytes)
      return lease
    },
    used: () => usedBy.get('instance') ?? 0,
  }
}
