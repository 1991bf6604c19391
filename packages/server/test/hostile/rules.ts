import { ERRORS } from '@stowage/protocol'
import { valuesOf, type WireAnswer } from './answers.ts'
import type { Delivery } from './deliver.ts'
import type { DocumentedOperation } from './document.ts'
import { printable } from './printable.ts'
import type { BrokenRequest, FramedRequest, HostileRequest } from './request.ts'

/** A rule that an answer broke. */
export interface Violation {
  rule: string
  detail: string
}

export type Operations = Map<string, DocumentedOperation>

/** Undefined when the answer is one that the service may give to this request. */
export function checkAnswer(
  operations: Operations,
  request: HostileRequest,
  answer: WireAnswer,
): Violation | undefined {
  const { status, headers, body } = answer
  const broken = (rule: string) => ({
    rule,
    detail: `${status} ${printable(body.subarray(0, 1_000))}`,
  })
  if (status === 500) return broken('no request is answered with 500')
  if (headers.some(([name, value]) => name.includes('injected') || /[\r\n\0]/.test(value))) {
    return broken('no header of the answer is made of the request')
  }
  if (request.isForged && status < 300 && request.method !== 'OPTIONS') {
    return broken('a changed signed URL is refused')
  }
  const operation = request.operation === undefined ? undefined : operations.get(request.operation)
  if (status >= 400 && request.method !== 'HEAD') {
    const problem = refusalProblem(answer, operation)
    if (problem !== undefined) return { rule: problem, detail: broken('').detail }
  }
  if (status < 300 && operation !== undefined && request.method === operation.method) {
    const problem = successProblem(answer, operation)
    if (problem !== undefined) return { rule: problem, detail: broken('').detail }
  }
  if (request.file !== undefined && request.method === 'GET') return checkFile(request.file, answer)
  return undefined
}

function refusalProblem(answer: WireAnswer, operation?: DocumentedOperation): string | undefined {
  const body = parseJson(answer.body)
  const { message, code } = (body ?? {}) as { message?: unknown; code?: unknown }
  if (typeof message !== 'string' || message === '' || typeof code !== 'string') {
    return 'every refusal has a message and a code'
  }
  if (!Object.hasOwn(ERRORS, code)) return 'every code is in the catalogue'
  if (ERRORS[code as keyof typeof ERRORS].status !== answer.status) return 'a code has its status'
  const declared = operation?.responses.get(answer.status)
  if (declared === undefined) return undefined
  if (!declared.codes.includes(code)) return 'the OpenAPI document names the code'
  const [fault] = declared.faultsOf(body)
  return fault && `a refusal meets its schema: ${fault}`
}

function successProblem(answer: WireAnswer, operation: DocumentedOperation): string | undefined {
  const declared = operation.responses.get(answer.status)
  if (declared === undefined) return 'the OpenAPI document declares the status of a success'
  if (!declared.hasBody) return undefined
  const body = parseJson(answer.body)
  if (body === undefined) return 'a success is JSON'
  const [fault] = declared.faultsOf(body)
  return fault && `a success meets its schema: ${fault}`
}

function checkFile(file: Buffer, { status, headers, body }: WireAnswer): Violation | undefined {
  if (status === 200 && !body.equals(file)) {
    return { rule: 'a download is the file', detail: `${body.length} bytes, not ${file.length}` }
  }
  if (status !== 206) return undefined
  const [range = ''] = valuesOf(headers, 'content-range')
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range)
  const [start, last, size] = (match ?? []).slice(1).map(Number)
  const slice = file.subarray(start, (last ?? 0) + 1)
  if (size === file.length && slice.length > 0 && body.equals(slice)) return undefined
  return { rule: 'a range is that part of the file', detail: range }
}

/** Each request on the connection has exactly one answer, and so has the probe behind them. */
export function checkPipeline(
  requests: FramedRequest[],
  delivery: Delivery,
): Violation | undefined {
  const { answers, probe, failure, interim } = delivery
  if (failure !== undefined) return { rule: 'every request is answered in time', detail: failure }
  if (answers.length > requests.length) {
    const last = answers.at(-1)
    const detail = `${answers.length} to ${requests.length}, the last one ${last?.status} ${printable(last?.body.subarray(0, 300) ?? Buffer.alloc(0))}`
    return { rule: 'a request has one answer', detail }
  }
  const expecting = requests.filter(({ headers }) =>
    headers.some(([name]) => /^expect$/i.test(name)),
  )
  if (interim > expecting.length)
    return { rule: 'only who expects 100 gets it', detail: `${interim}` }
  if (probe === 'answered' && answers.length === requests.length) return undefined
  const isExpecting = expecting.includes(requests.at(-1) as FramedRequest)
  if (isExpecting && answers.length === requests.length) return undefined
  return {
    rule: 'a request has one answer',
    detail: `${answers.length} to ${requests.length}, and the probe behind them was ${probe}`,
  }
}

/** A broken message is refused or answered once; then the connection is closed or still in step. */
export function checkBroken(request: BrokenRequest, delivery: Delivery): Violation | undefined {
  const { answers, failure, probe } = delivery
  if (failure !== undefined) return { rule: 'every request is answered in time', detail: failure }
  const isRefusedTwice = request.isLoose && answers.length === 2 && answers[1]?.status === 400
  if (answers.length > 1 && !isRefusedTwice) {
    const statuses = answers.map(({ status }) => status).join(', ')
    return { rule: 'a request has one answer', detail: `${statuses} to one request` }
  }
  const [answer] = answers
  if (answer === undefined && probe === 'closed' && !request.isIncomplete) {
    return { rule: 'a request has one answer', detail: 'closed without one' }
  }
  return undefined
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
