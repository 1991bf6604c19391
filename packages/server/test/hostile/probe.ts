import { valuesOf, type WireAnswer } from './answers.ts'
import type { Maker } from './maker.ts'
import type { Port } from './request.ts'

/** A valid request whose answer can't be taken for another one's. */
export interface Probe {
  bytes: Buffer
  isAnsweredBy(answer: WireAnswer): boolean
}

let count = 0

/** Its answer repeats a word that no other request has. */
export function aProbe({ hosts, key }: Maker, port: Port): Probe {
  count += 1
  const word = `probe-${process.pid}-${count}`
  const host = `Host: ${hosts[port]}\r\n`
  if (port === 'storage') {
    const head = `OPTIONS /objects/a HTTP/1.1\r\n${host}Access-Control-Request-Headers: ${word}\r\n\r\n`
    return {
      bytes: Buffer.from(head),
      isAnsweredBy: ({ status, headers }) =>
        status === 204 && valuesOf(headers, 'access-control-allow-headers')[0] === word,
    }
  }
  const head = `GET /api/v1/products?limit=1&sku=${word} HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n\r\n`
  return {
    bytes: Buffer.from(head),
    isAnsweredBy: ({ status, body }) => status === 200 && body.includes(`sku=${word}`),
  }
}
