import type { ClientRequest } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { isPublicAddress } from '../domain/addresses.ts'
import type { SendWebhook, WebhookRequest, WebhookResponse } from '../domain/webhook.ts'
import { http, https } from '../node-http/http-modules.ts'
import { openResolver, type ResolveHost } from './resolve-host.ts'

/** For the whole exchange: resolving the name, connecting, sending and receiving. */
const TIMEOUT_MS = 15_000
const MAX_LOGGED_BYTES = 1024
const SWITCHING_PROTOCOLS = 101
/** A receiver may send interim responses (100 Continue, 103 Early Hints) before the final one, but not without end. */
const MAX_INTERIM_RESPONSES = 10
/** Everything that is read from the connection, including the headers of interim responses. */
const MAX_RECEIVED_BYTES = 65_536

interface WebhookSenderOptions {
  /** `public`: private, loopback and link-local addresses are refused. */
  targets: 'public' | 'any'
  resolveHost?: ResolveHost
  timeoutMs?: number
}

/**
 * Sends webhooks. Redirects are not followed. The address is checked when the connection is opened, and the checked
 * address is the one that is connected to: a DNS name cannot change its address after the check.
 */
export function openWebhookSender(options: WebhookSenderOptions): SendWebhook {
  const { targets, resolveHost = openResolver(), timeoutMs = TIMEOUT_MS } = options
  const isAllowed = targets === 'any' ? () => true : isPublicAddress

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const allowed = addresses
          .filter(isAllowed)
          .map((address) => ({ address, family: isIP(address) }))
        const [first] = allowed
        if (first === undefined) callback(new TargetRefused(addresses[0]), [])
        else if (all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }

  return async (message, signal) => {
    const startedAt = performance.now()
    const url = new URL(message.url)
    const address = url.hostname.replace(/^\[|\]$/g, '')
    // If the host is an IP address, `lookup` is not called, so the address is checked here.
    const outcome =
      isIP(address) !== 0 && !isAllowed(address)
        ? noResponse(new TargetRefused(address))
        : await exchange(openRequest(url, message, lookup), message.body, { timeoutMs, signal })
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
  }
}

function openRequest(
  url: URL,
  { headers, body }: WebhookRequest,
  lookup: LookupFunction,
): ClientRequest {
  const { request: send } = url.protocol === 'https:' ? https : http
  return send(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'Stowage-Webhooks/1',
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      ...headers,
    },
    // Each request has its own connection: the receiver may close an idle one at the moment a request is sent on it.
    agent: false,
    lookup,
  })
}

type Outcome = Omit<WebhookResponse, 'durationMs'>

/** The status counts as soon as it arrives. The body is only logged, so it need not arrive completely. */
async function exchange(
  request: ClientRequest,
  body: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const late = new AbortController()
  let hasStatus = false
  function stopWaiting(reason: string): void {
    late.abort()
    if (!hasStatus) resolve(noResponse(new Error(reason)))
  }
  const timer = setTimeout(
    () => stopWaiting(`No response within ${timeoutMs / 1000} seconds`),
    timeoutMs,
  )
  const onAbort = () => stopWaiting('The service is shutting down')
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort)
  request.on('response', async (response) => {
    hasStatus = true
    const text = await readFirstBytes(response, MAX_LOGGED_BYTES, late.signal)
    resolve({
      status: response.statusCode ?? null,
      error: null,
      response: text,
      retryAfter: response.headers['retry-after'] ?? null,
    })
  })
  // The status 101 switches to another protocol, and no other response follows. Node emits no `response` for it.
  function onSwitch(): void {
    hasStatus = true
    resolve({ status: SWITCHING_PROTOCOLS, error: null, response: '', retryAfter: null })
  }
  request.on('upgrade', (_response, socket) => {
    socket.destroy()
    onSwitch()
  })
  let interimResponses = 0
  // Node emits this event instead of `upgrade` if the response has no Upgrade header.
  request.on('information', ({ statusCode }) => {
    interimResponses += 1
    if (statusCode === SWITCHING_PROTOCOLS) onSwitch()
    else if (interimResponses > MAX_INTERIM_RESPONSES) refuse('interim responses (1xx)')
  })
  // Counts bytes that the parser skips or only stores, too, such as empty lines before the status and chunk extensions.
  request.on('socket', (socket) => {
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > MAX_RECEIVED_BYTES) refuse('bytes')
    })
  })
  let isRefused = false
  /** Destroys the request at once: the connection would be read until the loop has a turn for the promise. */
  function refuse(excess: string): void {
    // The rest of the received bytes is still parsed, which may be thousands of responses.
    if (isRefused) return
    isRefused = true
    stopWaiting(`The endpoint sent too many ${excess} without a final response`)
    if (!hasStatus) request.destroy()
  }
  request.on('error', (error) => {
    if (!hasStatus) resolve(noResponse(error))
  })
  request.end(body)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    request.destroy()
  }
}

function noResponse(error: Error): Outcome {
  return { status: null, error: describeFailure(error), response: null, retryAfter: null }
}

const MAX_ERROR_LENGTH = 255

/** The host has no address that requests may be sent to. */
class TargetRefused extends Error {
  override readonly name = 'TargetRefused'

  /** The message does not contain the address, because the owner of a webhook must not learn private addresses. */
  constructor(address: string | undefined) {
    super(
      address === undefined
        ? 'The host has no IP address'
        : 'The host has a private address, which STOWAGE_WEBHOOK_TARGETS does not allow',
    )
  }
}

/** Why there was no response, for the delivery log. Does not contain private addresses that a host resolves to. */
function describeFailure(error: Error): string {
  // If all addresses of a host fail, the error contains the error of each address.
  const cause: NodeJS.ErrnoException & { address?: unknown } =
    error instanceof AggregateError ? (error.errors[0] ?? error) : error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const isPrivate = typeof cause.address === 'string' && !isPublicAddress(cause.address)
  const message = isPrivate ? `${cause.syscall ?? 'connect'} ${cause.code}` : cause.message
  const text = String(message || code || 'The request failed')
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_ERROR_LENGTH)
}

/**
 * Reads at most `limit` bytes as text, and leaves the rest unread. Returns what has arrived when the stream fails or
 * the signal is aborted. Characters that PostgreSQL cannot store are replaced.
 */
async function readFirstBytes(
  stream: Readable,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, limit - length))
    length += chunk.length
    if (length >= limit) resolve()
  })
  for (const event of ['end', 'error', 'close']) stream.on(event, () => resolve())
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  stream.destroy()
  const bytes = Buffer.concat(chunks).subarray(0, limit)
  return new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd')
}
