export type Port = 'api' | 'storage'

/** The expected response. */
interface Expectation {
  /** The operation of the OpenAPI document that declares the responses, such as `POST /api/v1/assets`. */
  operation?: string | undefined
  /** The signed URL or its method was changed, so the request must not succeed. */
  isForged?: boolean
  /** The response may be a page for buyers. */
  isPage?: boolean
  /** The file that a successful download returns. */
  file?: Buffer
}

/** A request whose length is unambiguous, so that others can follow on its connection. */
export interface FramedRequest extends Expectation {
  kind: 'framed'
  port: Port
  method: string
  target: string
  headers: [string, string][]
  body: Buffer
}

/** Bytes that are not a valid HTTP message. */
export interface MalformedRequest extends Expectation {
  kind: 'malformed'
  port: Port
  method: string
  /** The name of the defect. */
  defect: string
  bytes: Buffer
  /** The message has no end: no other request can follow, and the client half-closes the connection. */
  isIncomplete: boolean
  /** The bytes may be parsed as two messages, of which the second is refused. */
  mayBeSeveral: boolean
  /** The service must respond with 400 and close the connection. */
  isRefused: boolean
}

export type HostileRequest = FramedRequest | MalformedRequest

/** The request as bytes. Each character of the target and the headers stands for one byte. */
export function render(request: HostileRequest): Buffer {
  if (request.kind === 'malformed') return request.bytes
  const { method, target, headers, body } = request
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** The request as text, with its defect and its port. A long request is truncated. */
export function describe(request: HostileRequest): string {
  const what = request.kind === 'malformed' ? `${request.defect}, ` : ''
  return `${what}to the ${request.port} port:\n${printable(render(request))}`
}

const MAX_LENGTH = 1_500

/** The bytes as printable text. Other bytes are shown as `\xff`, and long repetitions by their length. */
export function printable(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replaceAll(/(..?)\1{50,}/gs, (run, unit: string) => `${unit}…(${run.length} bytes)`)
    .replaceAll(
      /[^\x20-\x7e\n…]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
  const missing = text.length - MAX_LENGTH
  return missing > 0 ? `${text.slice(0, MAX_LENGTH)}\n… and ${missing} more characters` : text
}
