import assert from 'node:assert/strict'
import { ENDPOINTS } from '@stowage/protocol'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'

const SUCCESSES = ENDPOINTS.flatMap(({ methods, path, success: { status, schema } }) => {
  if (schema === undefined) return []
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
  const pathPattern = new RegExp(`^${pattern}/?$`)
  // Compiled at the first use, because a process uses few schemas. `typebox/schema` loads faster than all of TypeBox.
  let validator: Validator | undefined
  const errors = (body: unknown) => {
    validator ??= Compile(closed(schema))
    return validator.Check(body) ? [] : validator.Errors(body)[1]
  }
  return [{ methods, pathPattern, status, errors }]
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
  assert.deepEqual(
    success.errors(response.body),
    [],
    `the response to ${request.method} ${pathname}`,
  )
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
