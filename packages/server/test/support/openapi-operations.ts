import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { JsonResponse } from '@stowage/testing/service/service'

interface Schema {
  type?: string
  format?: string
  enum?: string[]
  minimum?: number
  pattern?: string
  examples?: string[]
}

interface Parameter {
  name: string
  in: string
  schema: Schema
}

interface DocumentedOperation {
  'x-scope'?: string
  'x-upload-tokens'?: boolean
  parameters: Parameter[]
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> }
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
}

export const SCOPES = ['read', 'write', 'manage'] as const

/** An API operation, as described by the OpenAPI document. */
export interface Operation {
  name: string
  method: string
  /** Contains `{name}` for each path parameter. */
  path: string
  scope: 'public' | 'operator' | (typeof SCOPES)[number]
  /** Whether upload tokens may make this call, for their own uploads. */
  allowsUploadTokens: boolean
  parameters: Parameter[]
  /** The example from the document; undefined for an operation without a body. */
  body: Record<string, unknown> | undefined
  success: number
  /** All statuses of success. */
  successes: number[]
  /** The error codes of each status. */
  refusals: Map<number, string[]>
}

/** Reads every operation. Throws for an operation that does not state the required scope. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => readOperation(path, method, operation)),
  )
}

function readOperation(path: string, method: string, operation: DocumentedOperation): Operation {
  const name = `${method.toUpperCase()} ${path}`
  const scope = (['public', 'operator', ...SCOPES] as const).find(
    (known) => known === operation['x-scope'],
  )
  assert.ok(scope, `${name} has no valid x-scope: ${operation['x-scope']}`)
  const statuses = Object.keys(operation.responses).map(Number)
  const successes = statuses.filter((status) => status < 400)
  // A call that creates nothing, because what it creates exists, has another status.
  const success = successes.find((status) => status !== 200) ?? successes[0]
  assert.ok(
    success !== undefined && successes.every((status) => [success, 200].includes(status)),
    `${name} has several success statuses: ${successes}`,
  )
  const content = operation.requestBody?.content['application/json']
  if (operation.requestBody) assert.ok(content?.example, `${name} has no example body`)
  return {
    name,
    method: method.toUpperCase(),
    path,
    scope,
    allowsUploadTokens: operation['x-upload-tokens'] === true,
    parameters: operation.parameters,
    body: content?.example,
    success,
    successes,
    refusals: new Map(
      statuses
        .filter((status) => status >= 400)
        .map((status) => {
          const json = operation.responses[status]?.content?.['application/json']
          return [status, Object.keys(json?.examples ?? {})]
        }),
    ),
  }
}

/** The values for the variable parts of an operation. */
export interface Target {
  /** Describes the target in the test's name. */
  state: string
  /** Keyed by the parameter and the segment before it, such as `assets/{id}`. */
  ids: Record<string, string>
  /** Replaces the fields of the example that have the same names. */
  fields: Record<string, unknown>
  /** The values of parameters in the query. */
  query?: Record<string, string>
}

export interface FilledCall {
  path: string
  body: Record<string, unknown> | undefined
  headers: Record<string, string>
}

/**
 * Fills in every documented parameter except `after`, `upload_id` and `trashed`. Throws for a parameter without a known
 * value.
 */
export function fillCall(operation: Operation, target: Target): FilledCall {
  const { name, parameters, body } = operation
  const path = operation.path.replaceAll(/[\w-]+\/\{\w+\}/g, (variable) => {
    const id = target.ids[variable]
    assert.ok(id, `${name}: no test value for ${variable}`)
    return variable.replace(/\{\w+\}/, id)
  })
  assert.doesNotMatch(path, /[{}]/, `${name}: no test value for a path parameter`)
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const parameter of parameters) {
    // There is no valid value for a cursor or for the ID of a replacement. `after` cannot be combined with `page`,
    // nor `trashed` with `sort`.
    if (['after', 'upload_id', 'trashed'].includes(parameter.name)) continue
    const value = () => target.query?.[parameter.name] ?? exampleValueOf(parameter, name)
    if (parameter.in === 'query') query.set(parameter.name, value())
    else if (parameter.in === 'header') headers[parameter.name] = value()
    else assert.equal(parameter.in, 'path', name)
  }
  const search = query.size > 0 ? `?${query}` : ''
  const filled =
    body && Object.entries(body).map(([key, value]) => [key, target.fields[key] ?? value])
  return { path: path + search, body: filled && Object.fromEntries(filled), headers }
}

function exampleValueOf({ name, schema }: Parameter, operation: string): string {
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  if (schema.type === 'boolean') return 'true'
  if (schema.type === 'integer') return String(schema.minimum ?? 1)
  assert.equal(schema.type, 'string', `${operation}: no test value for ${name}`)
  const [example] = schema.examples ?? []
  if (schema.format === 'uuid') return randomUUID()
  if (schema.pattern !== undefined && example !== undefined) return example
  return `text-${randomUUID()}`
}

/** Fails unless the document lists this response for the operation. */
export function assertDocumented(operation: Operation, { status, body }: JsonResponse): void {
  if (operation.successes.includes(status)) return
  const got = `${operation.name}: ${status} ${JSON.stringify(body)}`
  assert.ok(status < 500, got)
  assert.ok(operation.refusals.get(status)?.includes(body.code), `not documented: ${got}`)
}
