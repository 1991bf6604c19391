import { printable } from './printable.ts'

export type Port = 'api' | 'storage'

/** What the rules expect of the answer. */
export interface Expectation {
  /** The operation of the OpenAPI document whose declared responses hold, as `POST /api/v1/assets`. */
  operation?: string | undefined
  /** The signed URL was changed: no success. */
  isForged?: boolean
  /** The bytes of the file that a success of a download consists of. */
  file?: Buffer
}

/** A request whose length every HTTP server reads in the same way, so others can follow on its connection. */
export interface FramedRequest extends Expectation {
  kind: 'framed'
  port: Port
  method: string
  target: string
  headers: [string, string][]
  body: Buffer
}

/** Bytes that a server may refuse as a whole. */
export interface BrokenRequest extends Expectation {
  kind: 'broken'
  port: Port
  method: string
  /** What is wrong with them. */
  trick: string
  bytes: Buffer
  /** The message never ends: no other request can follow, and the client closes its side. */
  isIncomplete: boolean
  /** It may be several messages: the last of them is refused. */
  isLoose: boolean
}

export type HostileRequest = FramedRequest | BrokenRequest

/** The request as bytes. Header values are bytes too: each character stands for one. */
export function render(request: HostileRequest): Buffer {
  if (request.kind === 'broken') return request.bytes
  const { method, target, headers, body } = request
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** For people: all of it, up to a limit. */
export function describe(request: HostileRequest): string {
  const what = request.kind === 'broken' ? `${request.trick}, ` : ''
  return `${what}to the ${request.port} port:\n${printable(render(request))}`
}
