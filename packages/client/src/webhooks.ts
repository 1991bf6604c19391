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
 * with the code `bad_signature` otherwise: respond with 400 then. Rejects with a TypeError if the body is not the raw one,
 * but was parsed. Pass several secrets to accept any of them. A webhook may arrive more than once: skip an event whose ID
 * is already processed.
 *
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function verifyWebhook(
  request: ReceivedWebhook,
  secret: string | readonly string[],
): Promise<StowageEvent> {
  const readBody = checkRequest(request)
  const keys = await Promise.all([secret].flat().map(importSecret))
  const [id, timestamp, signatures] = NAMES.map((name) => readHeader(request.headers, name))
  if (!id || !timestamp || !signatures) throw refused('Its headers are incomplete.')
  const age = Date.now() / 1000 - Number(timestamp)
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_S) {
    throw refused('It is too old, or the clock of this machine is wrong.')
  }
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const body = await readBody()
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  for (const signature of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const [version, encoded = ''] = signature.split(',')
    const bytes = version === 'v1' && decodeBase64(encoded)
    if (!bytes) continue
    for (const key of keys) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) {
        return JSON.parse(new TextDecoder().decode(body))
      }
    }
  }
  throw refused('No signature is valid for this secret and body.')
}

/** Throws a TypeError for a body that was parsed: its fields are chosen by the sender, so none of them is read. */
function checkRequest(request: ReceivedWebhook): () => Promise<Uint8Array> {
  const { headers, body, text } = (request ?? {}) as Record<string, unknown>
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError('The webhook has no headers. Pass the request, or { headers, body }.')
  }
  if (typeof text === 'function') {
    return async () => new TextEncoder().encode(await (request as Pick<Request, 'text'>).text())
  }
  if (typeof body === 'string') return async () => new TextEncoder().encode(body)
  // Not by instanceof: bytes of another realm are instances of that realm's class.
  if (ArrayBuffer.isView(body)) {
    return async () => new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  }
  throw new TypeError(
    `The body of the webhook is ${Object.prototype.toString.call(body)}. Pass the raw body, a string or bytes as they were received, before any JSON parser: the signature is computed from it.`,
  )
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
  // Not by instanceof: several implementations of fetch have a class of their own.
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found.join(' ') : found
}

export type { StowageEvent } from './events.ts'
