import assert from 'node:assert/strict'
import { ENDPOINTS } from '@stowage/protocol'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

const SUCCESSES = ENDPOINTS.flatMap(({ methods, path, success: { status, schema } }) => {
  if (schema === undefined) return []
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
  const pathPattern = new RegExp(`^${pattern}/?$`)
  return [{ methods, pathPattern, status, validator: Compile(closed(schema)) }]
})

/** Fails unless a successful API response matches its schema and has no other fields. */
export function expectInterface(
  request: { method: string; url: string },
  response: JsonResponse,
): void {
  const { pathname } = new URL(request.url)
  const success = SUCCESSES.find(
    ({ methods, pathPattern, status }) =>
      methods.some((method) => method === request.method) &&
      pathPattern.test(pathname) &&
      status === response.status,
  )
  if (success === undefined) return
  const errors = [...success.validator.Errors(response.body)]
  assert.deepEqual(errors, [], `the response to ${request.method} ${pathname}`)
}

interface JsonResponse {
  status: number
  body: unknown
}

/** The same schema, which allows no unknown fields at any depth. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.type === 'object' && value.properties !== undefined
      ? { additionalProperties: false, ...value }
      : value,
  )
}
