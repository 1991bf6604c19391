import { TRICKS } from './broken-messages.ts'
import type { Maker } from './maker.ts'
import type { Message } from './message.ts'
import type { BrokenRequest, Port } from './request.ts'

/** A message that breaks the rules of HTTP, at either port. */
export function makeBrokenRequest(maker: Maker, port: Port): BrokenRequest {
  const { random } = maker
  const { name, make, isIncomplete = false, isLoose = false } = random.pick(TRICKS)
  const message = aMessage(maker, port)
  const text = make(random, message)
  return {
    kind: 'broken',
    port,
    method: /^HEAD /.test(text) ? 'HEAD' : message.method,
    trick: name,
    bytes: Buffer.from(text, 'latin1'),
    isIncomplete,
    isLoose,
    operation: undefined,
  }
}

/** Nothing that it could change, if it is answered: its answer may get lost. */
function aMessage({ random, hosts, key }: Maker, port: Port): Message {
  const method = random.pick(['POST', 'PUT', 'GET'])
  const isStorage = port === 'storage'
  const target = isStorage
    ? '/uploads/a/b/1?length=5&expires=1&signature=a'
    : '/api/v1/assets/signed'
  const headers = [`Host: ${hosts[port]}`]
  if (!isStorage) headers.push(`Authorization: Bearer ${key}`, 'Content-Type: application/json')
  return { method, target, headers, body: random.pick(['', '{"a":1}', '{"name":"a","size":-1}']) }
}
