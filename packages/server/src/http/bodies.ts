import { isUtf8 } from 'node:buffer'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/errors.ts'
import type { BodyBudget, BodyLease } from './body-budget.ts'

/** No request body of the API needs more than four levels. */
const MAX_DEPTH = 32
const TOO_DEEP = `The body is nested deeper than ${MAX_DEPTH} levels. Send one JSON object as described in /docs.`
const NOT_UTF8 = 'The body is not valid UTF-8. Send one JSON object in UTF-8.'
/** What a body of unknown length may use before its first byte arrives. */
const FIRST_BYTES = 16 * 1024

/**
 * Takes the memory of each body from the budget before the body is read, and gives it back when the call has ended. The
 * caller is known here: a request without a valid key is refused before its body is read.
 */
export function limitBodyMemory(app: FastifyInstance, budget: BodyBudget): void {
  app.decorateRequest('bodyLease', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { caller } = request
    const bytes = declaredLength(request) ?? FIRST_BYTES
    // A body that is too large is refused without reading it.
    if (caller === undefined || bytes === 0 || bytes > request.routeOptions.bodyLimit) {
      done(null, payload)
      return
    }
    const { accountId, keyId: callerId } = caller
    const onLease = (lease: BodyLease) => {
      request.bodyLease = lease
      // A call that still runs keeps its body, even if the client has disconnected.
      const releaseUnlessCalled = () => request.isCalled || lease.release()
      if (reply.raw.destroyed) releaseUnlessCalled()
      else reply.raw.once('close', releaseUnlessCalled)
      done(null, payload)
    }
    budget.lease({ accountId, callerId }, bytes).then(onLease, (error: Error) => done(error))
  })
}

/** Accepts JSON in UTF-8 and no other body. If a call needs no body, an empty one may have any Content-Type. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    // curl -d '', PHP and Ruby declare a form on every POST, even on one without a body.
    if (declaredLength(request) === 0 && mayBeEmpty(request)) done(null, undefined)
    else readForm(request, payload).then((form) => done(null, form), done)
  })
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(request, payload).then((body) => {
      // Many clients declare JSON on every request, even on one without a body.
      if (body.length === 0 && mayBeEmpty(request)) return done(null, undefined)
      if (!isUtf8(body)) return done(new ServiceError('malformed_json', NOT_UTF8))
      if (isDeeperThan(MAX_DEPTH, body)) return done(new ServiceError('malformed_json', TOO_DEEP))
      // Fastify's own parser reports every error to `done`.
      void parse(request, body.toString(), done)
    }, done)
  })
}

/** The fields of a form, for the few routes that take one. */
async function readForm(request: FastifyRequest, payload: FastifyRequest['raw']) {
  const { form } = request.routeOptions.config
  const type = request.headers['content-type'] ?? ''
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  if (form === undefined || (form === 'fields' && !isForm)) {
    throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
  }
  const body = await readBody(request, payload)
  return form === 'fields' ? Object.fromEntries(new URLSearchParams(body.toString())) : undefined
}

/**
 * Reads the body into one buffer. Unlike a list of chunks, it is not copied again at the end, and the system gets its
 * memory back afterwards.
 */
function readBody(request: FastifyRequest, payload: FastifyRequest['raw']): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const limit = request.routeOptions.bodyLimit
  const declared = declaredLength(request)
  if (declared !== undefined && declared > limit) {
    reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    return promise
  }
  let body = Buffer.allocUnsafe(declared ?? FIRST_BYTES)
  let length = 0
  payload.on('data', onData)
  payload.on('end', onEnd)
  payload.on('error', onError)
  // The client may have disconnected while the body waited for memory. Then no event follows.
  if (payload.destroyed) onError(new Error('the client has disconnected'))
  else payload.resume()

  function stop(error?: Error): void {
    payload.off('data', onData)
    payload.off('end', onEnd)
    payload.off('error', onError)
    if (error === undefined) resolve(body.subarray(0, length))
    else reject(error)
  }

  function onData(chunk: Buffer): void {
    const needed = length + chunk.length
    if (needed > limit) {
      stop(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    } else if (needed <= body.length) {
      chunk.copy(body, length)
      length = needed
    } else {
      payload.pause()
      enlarge(Math.min(limit, Math.max(needed, 2 * body.length))).then(() => {
        onData(chunk)
        payload.resume()
      }, stop)
    }
  }

  /** Only a body of unknown length grows: Node ends the others at their declared length. */
  async function enlarge(size: number): Promise<void> {
    await request.bodyLease?.grow(size - body.length)
    const larger = Buffer.allocUnsafe(size)
    body.copy(larger, 0, 0, length)
    body = larger
  }

  function onEnd(): void {
    const isComplete = declared === undefined || declared === length
    stop(isComplete ? undefined : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
  }

  /** The client has disconnected. */
  function onError(error: Error): void {
    stop(Object.assign(error, { statusCode: 400 }))
  }

  return promise
}

/** Undefined if only the end of the body shows its length. */
function declaredLength({ headers }: FastifyRequest): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

function mayBeEmpty({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || routeOptions.config.isBodyOptional === true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Whether arrays and objects are nested deeper than `most`. Runs before `JSON.parse`, which takes
 * seconds for millions of levels. The result for text that is not JSON is unspecified.
 */
export function isDeeperThan(most: number, json: Buffer): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      depth += 1
      if (depth > most) return true
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth -= 1
  }
  return false
}

/** The position of the closing quote. */
function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const end = json.indexOf(QUOTE, at)
    if (end < 0) return json.length
    let backslashes = 0
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
    at = end
  }
}
