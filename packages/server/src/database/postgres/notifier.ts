import { setTimeout as pause } from 'node:timers/promises'
import { ANY_ACCOUNT } from './event-marks.ts'

/** Changes within this time are announced together. */
const COALESCED_MS = 20
/** PostgreSQL limits the payload of NOTIFY to less than 8,000 bytes, into which 200 account IDs fit. */
const MAX_ACCOUNTS = 200

export interface Notifier {
  announce(accountIds: Iterable<string>): void
  /** Waits until everything is announced. */
  close(): Promise<void>
}

/**
 * Announces accounts with new events to the other instances, without delaying the changes: the first one at once,
 * and the following ones together. A failure is ignored, because the instances also poll.
 */
export function createNotifier(send: (payload: string) => Promise<unknown>): Notifier {
  let pending = new Set<string>()
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    while (pending.size > 0) {
      const accounts = pending.size > MAX_ACCOUNTS ? [ANY_ACCOUNT] : [...pending]
      pending = new Set()
      await send(accounts.join(',')).catch(() => {})
      await pause(COALESCED_MS)
    }
    sending = undefined
  }

  return {
    announce(accountIds) {
      for (const account of accountIds) pending.add(account)
      if (pending.size > 0) sending ??= sendAll()
    },
    async close() {
      await sending
    },
  }
}
