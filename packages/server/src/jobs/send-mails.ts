import type { Mail } from '../domain/mail.ts'
import type { Context } from '../operations/context.ts'
import { answerLinkRequests } from '../operations/lost-links.ts'
import { attemptMail } from '../operations/mails.ts'
import { continueNotices } from '../operations/notices.ts'
import { createWakeUp } from './job.ts'

/** How many mails this instance sends at the same time. */
const CONCURRENCY = 5
/** Less, so that neither an account with many mails nor slow notices make the mails of others wait. */
const PER_ACCOUNT = 4
const NEWS = 3
/** Longer than an attempt may take, so that no other instance sends a mail that is being sent. */
const LEASE_MS = 150_000
/** How often the job looks for mails of other instances. */
const POLL_MS = 5_000
const MIN_PAUSE_MS = 250
const PAUSE_AFTER_ERROR_MS = 5_000
/** How many mails end at a time while the server cannot be reached. */
const MAX_OVERDUE = 50
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
  const running = new Map<Promise<void>, Mail>()
  const links = createPart(context, 'answerLinkRequests')
  const notices = createPart(context, 'continueNotices')
  const sending = createPart(context, 'sendMails')
  let failures = 0
  let closedUntil = 0
  let unreachable = ''

  function pauseAfter(count: number): number {
    return UNREACHABLE_MS[Math.min(count, UNREACHABLE_MS.length - 1)] ?? POLL_MS
  }

  async function send(claimed: Mail): Promise<void> {
    try {
      const pauseMs = pauseAfter(failures)
      const outcome = await attemptMail(context, claimed, { pauseMs })
      if (outcome === 'not_asked') return
      if (outcome === 'asked') {
        failures = 0
        closedUntil = 0
        return
      }
      unreachable = outcome.unreachable
      if (performance.now() >= closedUntil) {
        // Of the attempts that fail together, one makes the pause longer.
        failures += 1
        closedUntil = performance.now() + pauseMs
      }
    } catch (error) {
      // Another attempt follows, at the latest when its lease ends.
      sending.fail(`could not send the mail ${claimed.id}, or record its result`, error)
    }
  }

  /** Only one mail at a time tries a server that cannot be reached. The others end as well when their time is over. */
  async function endOverdue(): Promise<void> {
    const pauseMs = pauseAfter(failures)
    for (const one of await database.claimOverdueMails(LEASE_MS, MAX_OVERDUE)) {
      await attemptMail(context, one, { pauseMs, unreachable }).catch((error) => {
        sending.fail(`could not end the mail ${one.id}`, error)
      })
    }
  }

  async function step(): Promise<number> {
    const next = await database.nextMailIn()
    if (next === undefined) return POLL_MS
    if (next > 0) return Math.min(next, POLL_MS)
    if (failures > 0) await endOverdue()
    const closedForMs = closedUntil - performance.now()
    if (closedForMs > 0) return Math.min(closedForMs, POLL_MS)
    // While the server is not known to work, one mail tries it.
    const limit = (failures > 0 ? 1 : CONCURRENCY) - running.size
    if (limit <= 0) return POLL_MS
    const mails = [...running.values()]
    const news = mails.filter(isNews)
    const others = Map.groupBy(
      mails.filter((one) => !isNews(one)),
      ({ accountId }) => accountId,
    )
    const claimed = await database.claimMails({
      leaseMs: LEASE_MS,
      limit,
      newsLimit: NEWS - news.length,
      perAccount: PER_ACCOUNT,
      running: new Map([...others].map(([account, list]) => [account, list.length])),
    })
    for (const one of claimed) {
      const attempt = send(one).finally(() => {
        running.delete(attempt)
        wake()
      })
      running.set(attempt, one)
    }
    return claimed.length === limit ? POLL_MS : MIN_PAUSE_MS
  }

  while (!signal.aborted) {
    await links.run(() => answerLinkRequests(context, links.fail))
    await notices.run(() => continueNotices(context, notices.fail))
    let pauseMs = PAUSE_AFTER_ERROR_MS
    await sending.run(async () => {
      pauseMs = await step()
    })
    await wakeUp.wait(Math.max(pauseMs, MIN_PAUSE_MS), signal)
  }
  const timer = setTimeout(() => mail.server?.close(), DRAIN_MS)
  await Promise.all(running.keys())
  clearTimeout(timer)
}

function isNews({ cause }: Mail): boolean {
  return cause === 'notice'
}

/** A part that fails so often is reported by the readiness check. */
const REPORTED_FAILURES = 3
/** Longer than the pause of something that fails each time. */
const RECOVERED_MS = 150_000

interface Part {
  /** Runs the work, unless it has just failed. Never rejects. */
  run(work: () => Promise<void>): Promise<void>
  /** A piece of the work failed, and the rest goes on. */
  fail(text: string, error: unknown): void
}

/** A part of the job. If it fails, the others go on. */
function createPart({ health, warn }: Context, name: string): Part {
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = 0

  function report(text: string, error: unknown): void {
    failures += 1
    if (failures >= REPORTED_FAILURES) health.failingJobs.add(name)
    warn(text, error)
  }

  return {
    async run(work) {
      if (performance.now() < pausedUntil) return
      try {
        await work()
        if (performance.now() - failedAt < RECOVERED_MS) return
        failures = 0
        health.failingJobs.delete(name)
      } catch (error) {
        report(`the job ${name} failed; retrying later`, error)
        pausedUntil = performance.now() + PAUSE_AFTER_ERROR_MS
      }
    },
    fail(text, error) {
      failedAt = performance.now()
      report(text, error)
    },
  }
}

const MAILS_KEPT_MS = 90 * 24 * 3_600_000
const BATCH = 500

/** Deletes mails that ended long ago. */
export async function forgetMails({ database }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await database.forgetMails(MAILS_KEPT_MS, BATCH)) === BATCH);
}
