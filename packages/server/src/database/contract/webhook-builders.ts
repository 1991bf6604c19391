import assert from 'node:assert/strict'
import { v7 as newUuid } from 'uuid'
import type { Attempt, Delivery } from '../../domain/webhook.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import type {
  AttemptResult,
  ClaimedDelivery,
  ClaimLimits,
  NewDelivery,
  NewWebhook,
  WebhookHealth,
} from '../webhook-data.ts'
import { NOON } from './builders.ts'

const DAY_MS = 24 * 3_600_000

export function aWebhook(details: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: newUuid(),
    url: 'https://shop.example/hook',
    description: '',
    types: null,
    secret: 'whsec_one',
    createdAt: NOON,
    ...details,
  }
}

export async function addWebhook(data: AccountData, details: Partial<NewWebhook> = {}) {
  const webhook = await data.addWebhook(aWebhook(details), 100)
  assert.ok(webhook)
  return webhook
}

export function aDelivery(details: Partial<NewDelivery> = {}): NewDelivery {
  const delivery = { id: newUuid(), eventId: null, type: 'asset.ready', body: '{}' }
  return { ...delivery, createdAt: NOON, ...details }
}

/** Queues deliveries of the next events of a webhook. The events need not exist. */
export async function queue(
  database: Database,
  webhookId: string,
  count: number,
  details: Partial<NewDelivery> = {},
): Promise<NewDelivery[]> {
  const webhooks = await database.listAllWebhooks(undefined, 100)
  const after = webhooks.find(({ id }) => id === webhookId)?.lastEvent ?? 0
  const deliveries = Array.from({ length: count }, (_, index) =>
    aDelivery({ eventId: after + index + 1, ...details }),
  )
  const range = { after, until: after + count }
  assert.ok(await database.addDeliveries(webhookId, range, deliveries))
  return deliveries
}

export const LIMITS: ClaimLimits = {
  limit: 100,
  perWebhook: 100,
  maxBytes: 1_000_000,
  maxBytesPerAccount: 1_000_000,
  runningBytes: new Map(),
}

/** Claims the deliveries that are due at this time, for a minute. */
export function claimAt(
  database: Database,
  now: Date,
  { health = 'working', ...limits }: Partial<ClaimLimits> & { health?: WebhookHealth } = {},
): Promise<ClaimedDelivery[]> {
  const claimedUntil = new Date(now.getTime() + 60_000)
  return database.claimDeliveries(health, { now, claimedUntil }, { ...LIMITS, ...limits })
}

export function anAttempt(details: Partial<Attempt> = {}): Attempt {
  return {
    at: NOON,
    url: 'https://shop.example/hook',
    status: 200,
    durationMs: 5,
    error: null,
    response: 'ok',
    ...details,
  }
}

export const SUCCESS: AttemptResult = { outcome: 'succeeded', attempt: anAttempt() }

/** A failed attempt at this time. Unless it is the last one, the next one follows an hour later. */
export function failureAt(
  at: Date,
  details: { isGone?: boolean; isLast?: boolean } = {},
): AttemptResult {
  const { isGone = false, isLast = false } = details
  return {
    outcome: 'failed',
    attempt: anAttempt({ at, status: 500, response: 'broken' }),
    retryAt: isLast ? undefined : new Date(at.getTime() + 3_600_000),
    isGone,
    failingForMs: 3 * DAY_MS,
  }
}

export async function readDelivery(
  data: AccountData,
  { webhookId, id }: Pick<Delivery, 'webhookId' | 'id'>,
): Promise<Delivery> {
  const delivery = await data.findDelivery(webhookId, id)
  assert.ok(delivery)
  return delivery
}
