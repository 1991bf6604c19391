import type { GeneratorContext } from './generator-context.ts'
import type { Port } from './request.ts'
import { valuesOf, type WireResponse } from './responses.ts'

/** A valid request whose response can be distinguished from all others. */
export interface Probe {
  bytes: Buffer
  isResponse(response: WireResponse): boolean
}

let count = 0

/** The response repeats a word that is in no other request. */
export function aProbe({ hosts, key }: GeneratorContext, port: Port): Probe {
  count += 1
  const word = `probe-${process.pid}-${count}`
  const host = `Host: ${hosts[port]}\r\n`
  if (port === 'storage') {
    const head = `OPTIONS /objects/a HTTP/1.1\r\n${host}Access-Control-Request-Headers: ${word}\r\n\r\n`
    return {
      bytes: Buffer.from(head),
      isResponse: ({ status, headers }) =>
        status === 204 && valuesOf(headers, 'access-control-allow-headers')[0] === word,
    }
  }
  const head = `GET /api/v1/products?limit=1&sku=${word} HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n\r\n`
  return {
    bytes: Buffer.from(head),
    isResponse: ({ status, body }) => status === 200 && body.includes(`sku=${word}`),
  }
}
