import { sealedWith } from '../crypto/secret-key.ts'
import type { Finding } from '../domain/finding.ts'
import type { Webhook } from '../domain/webhook.ts'
import { findKeyProblem, KEY_REMEDY } from '../identity/open-secret-key.ts'
import type { DoctorContext } from './doctor-context.ts'

const PAGE = 100

/** Missed events are reported for as long as the log of deliveries goes back. */
const REPORTED_FOR_MS = 30 * 24 * 3_600_000

/** Reports the webhooks that are disabled, whose requests fail, or that have missed events. */
export async function examineWebhooks({
  database,
  clock,
}: Pick<DoctorContext, 'database' | 'clock'>): Promise<Finding> {
  const check = 'webhooks'
  const items: string[] = []
  let total = 0
  const reportedSince = new Date(clock().getTime() - REPORTED_FOR_MS)
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, PAGE)
    total += webhooks.length
    items.push(...webhooks.flatMap((webhook) => problemOf(webhook, reportedSince) ?? []))
    after = webhooks.at(-1)?.id
    if (webhooks.length < PAGE) break
  }
  if (items.length === 0) {
    return { check, status: 'ok', message: `${total} checked, none of them fails` }
  }
  const message = `webhooks that fail, are disabled or missed events: ${items.length} of ${total}`
  return { check, status: 'note', message, items }
}

/** Checks that the key that encrypts secrets is the right one, and that it has encrypted all of them. */
export async function examineSecretKey(
  context: Pick<DoctorContext, 'database' | 'contents' | 'secretKey'>,
): Promise<Finding> {
  const check = 'secret key'
  const { database, contents: storage, secretKey: configured } = context
  const problem = await findKeyProblem({ database, storage, configured })
  if (problem !== undefined) {
    return { check, status: 'error', message: problem, remedy: KEY_REMEDY }
  }
  const bound = await database.readSecretKeyId()
  const items: string[] = []
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, PAGE)
    for (const { id, url, secret } of webhooks) {
      const keyId = sealedWith(secret)
      if (keyId === undefined) items.push(`${id} ${url}: not encrypted yet`)
      else if (keyId !== bound) items.push(`${id} ${url}: encrypted with the unknown key ${keyId}`)
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < PAGE) break
  }
  if (items.length === 0) return { check, status: 'ok', message: 'all secrets are encrypted' }
  const message =
    'secrets of some webhooks are not encrypted with the key of this service. A running service encrypts plain ones; replace those that it cannot read'
  return { check, status: 'note', message, items }
}

function problemOf(webhook: Webhook, reportedSince: Date): string | undefined {
  const { id, url, disabled, failingSince, missed } = webhook
  if (missed !== null && missed.at > reportedSince) {
    const time = missed.at.toISOString()
    return `${id} ${url}: missed ${missed.count} events that were removed before they could be sent, the last ones before ${time}; see STOWAGE_EVENTS_SIZE`
  }
  if (disabled !== null) {
    return `${id} ${url}: disabled (${disabled.reason}) since ${disabled.at.toISOString()}`
  }
  return failingSince === null
    ? undefined
    : `${id} ${url}: failing since ${failingSince.toISOString()}`
}
