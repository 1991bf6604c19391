import type { GeneratorContext } from './generator-context.ts'
import { MALFORMED_MESSAGES } from './malformed-messages.ts'
import type { Message } from './message.ts'
import type { MalformedRequest, Port } from './request.ts'

/** A message that violates the rules of HTTP, for either port. */
export function makeMalformedRequest(context: GeneratorContext, port: Port): MalformedRequest {
  const { random } = context
  const malformed = random.pick(MALFORMED_MESSAGES)
  const { name, make, isIncomplete = false, mayBeSeveral = false, isRefused = false } = malformed
  const message = aMessage(context, port)
  const text = make(random, message)
  return {
    kind: 'malformed',
    port,
    method: /^HEAD /.test(text) ? 'HEAD' : message.method,
    defect: name,
    bytes: Buffer.from(text, 'latin1'),
    isIncomplete,
    mayBeSeveral,
    isRefused,
    operation: undefined,
  }
}

/** A message that changes nothing even if the service accepts it, because its response may get lost. */
function aMessage({ random, hosts, key }: GeneratorContext, port: Port): Message {
  const method = random.pick(['POST', 'PUT', 'GET'])
  const isStorage = port === 'storage'
  const target = isStorage
    ? '/uploads/a/b/1?length=5&expires=1&signature=a'
    : '/api/v1/assets/signed'
  const headers = [`Host: ${hosts[port]}`]
  if (!isStorage) headers.push(`Authorization: Bearer ${key}`, 'Content-Type: application/json')
  return { method, target, headers, body: random.pick(['', '{"a":1}', '{"name":"a","size":-1}']) }
}
