import type { ClaimedDelivery, ClaimLimits, WebhookHealth } from '../database/event-data.ts'
import type { Context } from '../operations/context.ts'
import {
  type AttemptOutcome,
  attemptDelivery,
  CLAIM_MS,
  MAX_ATTEMPTS_PER_FAILING_WEBHOOK,
  MAX_ATTEMPTS_PER_WEBHOOK,
  queueDeliveries,
} from '../operations/deliveries.ts'
import { createWakeUp, type WakeUp } from './job.ts'

/** How often the job looks for deliveries while there are some: other instances may need help. */
const POLL_MS = 500
/** For how long after a request the job looks for more. */
const BUSY_MS = 2_000
/** How often the job looks for work that did not wake it, such as the deliveries of an instance that was killed. */
const FALLBACK_MS = 30_000
const PAUSE_AFTER_ERROR_MS = 5_000
/** How long a shutdown waits for responses. */
const DRAIN_MS = 3_000
/** How often the claims of slow requests are extended. */
const RENEW_MS = 2_000
/**
 * No further request starts while the bodies of the running requests have this size in total. Requests to failing
 * webhooks are counted separately, with the same limit.
 */
const MAX_BYTES = 32_000_000
/** The same for the webhooks of one account, because slow requests keep their bodies for up to 15 seconds. */
const MAX_BYTES_PER_ACCOUNT = 8_000_000
/** A request without a response after this time is slow, and its slot becomes free: the endpoint may never respond. */
const SLOW_MS = 1_000

interface SendLimits {
  /** How many requests run at the same time on this instance, not counting slow ones. */
  slots: number
  /** This many slots are only for webhooks without a running request, so that no webhook waits for the others. */
  reserved: number
  /** How many requests run at the same time on this instance, including slow ones. */
  total: number
  perWebhook: number
}

/**
 * Failing webhooks have their own limits: they often wait for the whole timeout, and must not take the capacity of the
 * others.
 */
const LIMITS: Record<WebhookHealth, SendLimits> = {
  working: { slots: 100, reserved: 50, total: 400, perWebhook: MAX_ATTEMPTS_PER_WEBHOOK },
  failing: { slots: 50, reserved: 25, total: 50, perWebhook: MAX_ATTEMPTS_PER_FAILING_WEBHOOK },
}

/**
 * Turns events into deliveries, and sends those that are due, until the signal is aborted. Then it waits for the
 * running requests, but not for endpoints that take long to respond: their deliveries are sent later.
 */
export async function deliverWebhooks(context: Context, signal: AbortSignal): Promise<void> {
  const wakeUps = { working: createWakeUp(), failing: createWakeUp() }
  const queue = createWakeUp()
  const late = new AbortController()
  function wakeSenders(): void {
    for (const wakeUp of Object.values(wakeUps)) wakeUp.wake()
  }
  const stopListening = context.database.onEvents((accountId) => {
    queue.wake()
    // The call is not for certain events, but a regular check: deliveries may have become due, too.
    if (accountId === undefined) wakeSenders()
  })
  signal.addEventListener('abort', stopListening, { once: true })
  context.deliveries.addEventListener('due', wakeSenders, { signal })
  await Promise.all([
    repeat(queue, async () => {
      const { queued, hasMore, isWebhookChanged } = await queueDeliveries(context)
      if (queued > 0 || isWebhookChanged) wakeSenders()
      return hasMore ? 0 : FALLBACK_MS
    }),
    sendTo('working'),
    sendTo('failing'),
  ])

  /** Repeats the work, which returns when it must run again at the latest. */
  async function repeat(wakeUp: WakeUp, work: () => Promise<number>): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = PAUSE_AFTER_ERROR_MS
      try {
        pauseMs = await work()
      } catch (error) {
        context.warn('the job deliverWebhooks failed; retrying later', error)
      }
      if (pauseMs > 0) await wakeUp.wait(pauseMs, signal)
    }
  }

  /** Sends the deliveries of the webhooks that work, or of those that fail. */
  async function sendTo(health: WebhookHealth): Promise<void> {
    const { slots, reserved, total, perWebhook } = LIMITS[health]
    const running = new Set<Promise<void>>()
    const slow = new Set<ClaimedDelivery>()
    let bytes = 0
    const runningBytes = new Map<string, number>()
    let busyUntil = 0
    const renewal = setInterval(() => renew(context, [...slow]), RENEW_MS)

    const free = () => Math.min(slots - (running.size - slow.size), total - running.size)

    function addBytes(accountId: string, count: number): void {
      bytes += count
      const sum = (runningBytes.get(accountId) ?? 0) + count
      if (sum > 0) runningBytes.set(accountId, sum)
      else runningBytes.delete(accountId)
    }

    function start(claimed: ClaimedDelivery): void {
      addBytes(claimed.webhook.accountId, claimed.bytes)
      const timer = setTimeout(() => {
        slow.add(claimed)
        wakeUps[health].wake()
      }, SLOW_MS)
      const attempt = send(context, claimed, late.signal).then((outcome) => {
        clearTimeout(timer)
        slow.delete(claimed)
        running.delete(attempt)
        addBytes(claimed.webhook.accountId, -claimed.bytes)
        // Its webhook may have more deliveries than can be sent at the same time. If the webhook starts or stops failing,
        // the others are sent in the other group.
        if ((outcome === 'succeeded') === (health === 'working')) wakeUps[health].wake()
        else wakeSenders()
      })
      running.add(attempt)
    }

    await repeat(wakeUps[health], async () => {
      const limit = free()
      const maxBytes = MAX_BYTES - bytes
      // An attempt that ends wakes this loop.
      if (limit <= 0 || maxBytes <= 0) return FALLBACK_MS
      const limits =
        limit > reserved ? { limit: limit - reserved, perWebhook } : { limit, perWebhook: 1 }
      const maxBytesPerAccount = MAX_BYTES_PER_ACCOUNT
      const byteLimits = { maxBytes, maxBytesPerAccount, runningBytes }
      const { claimed, now } = await claim(context, health, { ...limits, ...byteLimits })
      for (const delivery of claimed) start(delivery)
      if (claimed.length > 0) {
        busyUntil = performance.now() + BUSY_MS
        return 0
      }
      if (performance.now() < busyUntil) return POLL_MS
      const next = await context.database.nextDeliveryAt(health)
      if (next === undefined) return FALLBACK_MS
      return Math.min(Math.max(POLL_MS, next.getTime() - now.getTime()), FALLBACK_MS)
    })
    const timer = setTimeout(() => late.abort(), DRAIN_MS)
    await Promise.all(running)
    clearTimeout(timer)
    clearInterval(renewal)
  }
}

async function claim(
  { database }: Context,
  health: WebhookHealth,
  limits: ClaimLimits,
): Promise<{ claimed: ClaimedDelivery[]; now: Date }> {
  const now = await database.readClock()
  const claimedUntil = new Date(now.getTime() + CLAIM_MS)
  const claimed = await database.claimDeliveries(health, { now, claimedUntil }, limits)
  return { claimed, now }
}

/** Never rejects: if a claim could not be extended, another instance may repeat the request. */
async function renew({ database, warn }: Context, claimed: ClaimedDelivery[]): Promise<void> {
  if (claimed.length === 0) return
  try {
    const now = await database.readClock()
    await database.renewClaims(claimed, new Date(now.getTime() + CLAIM_MS))
  } catch (error) {
    warn('could not extend the claims of deliveries', error)
  }
}

/** Never rejects: if the result could not be recorded, the delivery is sent again when its claim ends. */
async function send(
  context: Context,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  try {
    return await attemptDelivery(context, claimed, signal)
  } catch (error) {
    context.warn(`could not record an attempt of the delivery ${claimed.delivery.id}`, error)
    return undefined
  }
}
