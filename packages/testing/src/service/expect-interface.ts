import assert from 'node:assert/strict'
import { ENDPOINTS } from '@stowage/protocol'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

const SUCCESSES = ENDPOINTS.flatMap(({ methods, path, success: { status, schema } }) => {
  if (schema === undefined) return []
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
  const address = new RegExp(`^${pattern}/?$`)
  return [{ methods, address, status, validator: Compile(closed(schema)) }]
})

/** A success of a call of the interface has what its schema says, and no member beside it. */
export function expectInterface(request: { method: string; url: string }, answer: Answer): void {
  const { pathname } = new URL(request.url)
  const success = SUCCESSES.find(
    ({ methods, address, status }) =>
      methods.some((method) => method === request.method) &&
      address.test(pathname) &&
      status === answer.status,
  )
  if (success === undefined) return
  const faults = [...success.validator.Errors(answer.body)]
  assert.deepEqual(faults, [], `the answer to ${request.method} ${pathname}`)
}

interface Answer {
  status: number
  body: unknown
}

/** The same without room for unknown members, at any depth. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.type === 'object' && value.properties !== undefined
      ? { additionalProperties: false, ...value }
      : value,
  )
}
