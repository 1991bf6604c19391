import { ERRORS } from '@stowage/protocol'
import { type Exchange, jsonOf, valuesOf, type WireResponse } from './exchange.ts'
import type { DocumentedOperation } from './generator-context.ts'
import {
  type FramedRequest,
  type HostileRequest,
  type MalformedRequest,
  printable,
} from './request.ts'

/** A rule that a response violated. */
export interface Violation {
  rule: string
  detail: string
}

export type Operations = Map<string, DocumentedOperation>

/** Returns undefined if this response to the request is allowed. */
export function checkResponse(
  operations: Operations,
  request: HostileRequest,
  response: WireResponse,
): Violation | undefined {
  const { status, headers, body } = response
  const violation = (rule: string) => ({
    rule,
    detail: `${status} ${printable(body.subarray(0, 1_000))}`,
  })
  if (status === 500) return violation('no request returns 500')
  if (headers.some(([name, value]) => name.includes('injected') || /[\r\n\0]/.test(value))) {
    return violation('no response header contains text injected by the request')
  }
  if (request.isForged && status < 300 && request.method !== 'OPTIONS') {
    return violation('a changed signed URL is refused')
  }
  const [type = ''] = valuesOf(headers, 'content-type')
  if (request.isPage && type.startsWith('text/html')) return checkPage(response)
  const operation = request.operation === undefined ? undefined : operations.get(request.operation)
  if (status >= 400 && request.method !== 'HEAD') {
    const problem = errorProblem(response, operation)
    if (problem !== undefined) return { rule: problem, detail: violation('').detail }
  }
  if (status < 300 && operation !== undefined && request.method === operation.method) {
    const problem = successProblem(response, operation)
    if (problem !== undefined) return { rule: problem, detail: violation('').detail }
  }
  if (request.file !== undefined && request.method === 'GET')
    return checkFile(request.file, response)
  return undefined
}

/** Pages for buyers have no script, none of the texts of others as markup, and strict headers. */
function checkPage({ headers, body }: WireResponse): Violation | undefined {
  const violation = (rule: string) => ({ rule, detail: printable(body.subarray(0, 1_000)) })
  const [policy = ''] = valuesOf(headers, 'content-security-policy')
  if (!policy.startsWith("default-src 'none'")) return violation('a page has a strict policy')
  if (valuesOf(headers, 'set-cookie').length > 0) return violation('a page sets no cookie')
  if (/<script|<img src=x/i.test(body.toString())) return violation('a page has no injected markup')
  return body.length < 20_000 ? undefined : violation('a page has less than 20 kB')
}

function errorProblem(response: WireResponse, operation?: DocumentedOperation): string | undefined {
  const body = jsonOf(response)
  const { message, code } = (body ?? {}) as { message?: unknown; code?: unknown }
  if (typeof message !== 'string' || message === '' || typeof code !== 'string') {
    return 'every error has a message and a code'
  }
  if (!Object.hasOwn(ERRORS, code)) return 'every code is in the catalog'
  if (ERRORS[code as keyof typeof ERRORS].status !== response.status)
    return 'the status is that of the code'
  const declared = operation?.responses.get(response.status)
  if (declared === undefined) return undefined
  if (!declared.codes.includes(code)) return 'the OpenAPI document lists the code'
  const [fault] = declared.schemaErrors(body)
  return fault && `a refusal meets its schema: ${fault}`
}

function successProblem(
  response: WireResponse,
  operation: DocumentedOperation,
): string | undefined {
  const declared = operation.responses.get(response.status)
  if (declared === undefined) return 'the OpenAPI document declares the status of a success'
  if (!declared.hasBody) return undefined
  const body = jsonOf(response)
  if (body === undefined) return 'a success is JSON'
  const [fault] = declared.schemaErrors(body)
  return fault && `a success meets its schema: ${fault}`
}

function checkFile(file: Buffer, { status, headers, body }: WireResponse): Violation | undefined {
  if (status === 200 && !body.equals(file)) {
    return { rule: 'a download is the file', detail: `${body.length} bytes, not ${file.length}` }
  }
  if (status !== 206) return undefined
  const [range = ''] = valuesOf(headers, 'content-range')
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range)
  const [start, last, size] = (match ?? []).slice(1).map(Number)
  const slice = file.subarray(start, (last ?? 0) + 1)
  if (size === file.length && slice.length > 0 && body.equals(slice)) return undefined
  return { rule: 'a partial response has the bytes of its Content-Range', detail: range }
}

/** Each request on the connection gets exactly one response, and so does the probe that follows them. */
export function checkPipeline(
  requests: FramedRequest[],
  exchange: Exchange,
): Violation | undefined {
  const { responses, probe, failure, interim } = exchange
  if (failure !== undefined)
    return { rule: 'every request gets an HTTP response before the timeout', detail: failure }
  if (responses.length > requests.length) {
    const last = responses.at(-1)
    const detail = `${responses.length} to ${requests.length}, the last one ${last?.status} ${printable(last?.body.subarray(0, 300) ?? Buffer.alloc(0))}`
    return { rule: 'a request gets exactly one response', detail }
  }
  const expecting = requests.filter(({ headers }) =>
    headers.some(([name]) => /^expect$/i.test(name)),
  )
  if (interim > expecting.length)
    return { rule: 'only a request with Expect gets 100 Continue', detail: `${interim}` }
  if (probe === 'responded' && responses.length === requests.length) return undefined
  const isExpecting = expecting.includes(requests.at(-1) as FramedRequest)
  if (isExpecting && responses.length === requests.length) return undefined
  return {
    rule: 'a request gets exactly one response',
    detail: `${responses.length} to ${requests.length}, and the probe that followed: ${probe}`,
  }
}

/**
 * A malformed message gets at most one response, or two if it may be parsed as two messages. Then the connection is
 * closed, or the probe gets its response.
 */
export function checkMalformed(
  request: MalformedRequest,
  exchange: Exchange,
): Violation | undefined {
  const { responses, failure, probe } = exchange
  if (failure !== undefined)
    return { rule: 'every request gets an HTTP response before the timeout', detail: failure }
  const isSecondRefused =
    request.mayBeSeveral && responses.length === 2 && responses[1]?.status === 400
  if (responses.length > 1 && !isSecondRefused) {
    const statuses = responses.map(({ status }) => status).join(', ')
    return { rule: 'a request gets exactly one response', detail: `${statuses} to one request` }
  }
  const [response] = responses
  if (response === undefined && probe === 'closed' && !request.isIncomplete) {
    return { rule: 'a request gets exactly one response', detail: 'closed without one' }
  }
  if (request.isRefused && (response?.status !== 400 || probe !== 'closed')) {
    const rule = 'a message that proxies interpret differently gets 400, and ends the connection'
    return { rule, detail: `${response?.status}, and the probe that followed: ${probe}` }
  }
  return undefined
}
