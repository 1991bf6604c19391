import type { Mail } from '../domain/mail.ts'
import type { Context } from '../operations/context.ts'
import { answerLinkRequests } from '../operations/lost-links.ts'
import { attemptMail } from '../operations/mails.ts'
import { continueNotices } from '../operations/notices.ts'
import { createWakeUp } from './job.ts'

/** How many mails this instance sends at the same time. */
const CONCURRENCY = 5
/** Longer than an attempt may take, so that no other instance sends a mail that is being sent. */
const LEASE_MS = 150_000
/** How often the job looks for mails of other instances. */
const POLL_MS = 5_000
const MIN_PAUSE_MS = 250
const PAUSE_AFTER_ERROR_MS = 5_000
/** How long a shutdown waits for responses. */
const DRAIN_MS = 3_000
/** The pauses while the mail server cannot be reached. Only the job waits: mails stay queued. */
const UNREACHABLE_MS = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000]

/** Sends the mails that are due, until the signal is aborted. */
export async function sendMails(context: Context, signal: AbortSignal): Promise<void> {
  const { mail, database } = context
  if (mail.mode === 'off') return
  const wakeUp = createWakeUp()
  const wake = () => wakeUp.wake()
  mail.queue.addEventListener('due', wake)
  signal.addEventListener('abort', () => mail.queue.removeEventListener('due', wake))
  const running = new Set<Promise<void>>()
  let failures = 0
  let closedUntil = 0

  function pauseAfter(count: number): number {
    return UNREACHABLE_MS[Math.min(count, UNREACHABLE_MS.length - 1)] ?? POLL_MS
  }

  async function send(claimed: Mail): Promise<void> {
    try {
      const pauseMs = pauseAfter(failures)
      const outcome = await attemptMail(context, claimed, pauseMs)
      if (outcome === 'done') {
        failures = 0
        closedUntil = 0
      } else if (performance.now() >= closedUntil) {
        // Of the attempts that fail together, one makes the pause longer.
        failures += 1
        closedUntil = performance.now() + pauseMs
      }
    } catch (error) {
      // Another attempt follows when its lease ends.
      context.warn(`could not send the mail ${claimed.id}, or record its result`, error)
    }
  }

  async function step(): Promise<number> {
    await answerLinkRequests(context)
    await continueNotices(context)
    const next = await database.nextMailIn()
    if (next === undefined) return POLL_MS
    if (next > 0) return Math.min(next, POLL_MS)
    const closedForMs = closedUntil - performance.now()
    if (closedForMs > 0) return Math.min(closedForMs, POLL_MS)
    // While the server is not known to work, one mail tries it.
    const limit = (failures > 0 ? 1 : CONCURRENCY) - running.size
    if (limit <= 0) return POLL_MS
    const claimed = await database.claimMails({ leaseMs: LEASE_MS, limit })
    for (const one of claimed) {
      const sending = send(one).finally(() => {
        running.delete(sending)
        wake()
      })
      running.add(sending)
    }
    return claimed.length === limit ? POLL_MS : MIN_PAUSE_MS
  }

  while (!signal.aborted) {
    let pauseMs = PAUSE_AFTER_ERROR_MS
    try {
      pauseMs = await step()
    } catch (error) {
      context.warn('the job sendMails failed; retrying later', error)
    }
    await wakeUp.wait(Math.max(pauseMs, MIN_PAUSE_MS), signal)
  }
  const timer = setTimeout(() => mail.server?.close(), DRAIN_MS)
  await Promise.all(running)
  clearTimeout(timer)
}

const MAILS_KEPT_MS = 90 * 24 * 3_600_000
const BATCH = 500

/** Deletes mails that ended long ago. */
export async function forgetMails({ database }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await database.forgetMails(MAILS_KEPT_MS, BATCH)) === BATCH);
}
