import { StowageError } from './errors.ts'
import type { StowageEvent } from './events.ts'

/** How far the time of a webhook may be from the current time. */
const TOLERANCE_S = 5 * 60
/** A sender signs with two secrets while one replaces the other. Checking more signatures would only take time. */
const MAX_SIGNATURES = 10
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** A `Request` of the Fetch API, or the headers and the unparsed body of a request to a Node server. */
export type ReceivedWebhook =
  | Pick<Request, 'headers' | 'text'>
  | {
      headers: Headers | Record<string, string | string[] | undefined>
      body: string | Uint8Array
    }

/**
 * Returns the event of a webhook if it is signed with the secret and was sent within the last five minutes. Rejects
 * with the code `bad_signature` otherwise: respond with 400 then. Pass several secrets to accept any of them. A webhook
 * may arrive more than once: skip an event whose ID is already processed.
 *
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function verifyWebhook(
  request: ReceivedWebhook,
  secret: string | readonly string[],
): Promise<StowageEvent> {
  const keys = await Promise.all([secret].flat().map(importSecret))
  const [id, timestamp, signatures] = NAMES.map((name) => readHeader(request.headers, name))
  if (!id || !timestamp || !signatures) throw refused('Its headers are incomplete.')
  const age = Date.now() / 1000 - Number(timestamp)
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_S) {
    throw refused('It is too old, or the clock of this machine is wrong.')
  }
  const body = 'text' in request ? await request.text() : request.body
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = new Uint8Array(start.length + rest.length)
  signed.set(start)
  signed.set(rest, start.length)
  for (const signature of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const [version, encoded = ''] = signature.split(',')
    const bytes = version === 'v1' && decodeBase64(encoded)
    if (!bytes) continue
    for (const key of keys) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) {
        return JSON.parse(new TextDecoder().decode(rest))
      }
    }
  }
  throw refused('No signature is valid for this secret and body.')
}

function refused(reason: string): StowageError {
  return new StowageError('bad_signature', `The webhook is not accepted. ${reason}`)
}

function importSecret(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) {
    throw new TypeError('Invalid secret. Pass it as the service returned it: whsec_…')
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function readHeader(
  headers: Headers | Record<string, string | string[] | undefined>,
  name: string,
): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found.join(' ') : found
}

export type { StowageEvent } from './events.ts'
