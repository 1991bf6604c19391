import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answer } from '@stowage/testing/service/service'

interface Schema {
  type?: string
  enum?: string[]
  minimum?: number
}

interface Parameter {
  name: string
  in: string
  schema: Schema
}

interface DocumentedOperation {
  'x-scope'?: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> }
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
}

export const SCOPES = ['read', 'write', 'manage'] as const

/** A call of the interface, as far as the OpenAPI document tells it. */
export interface Operation {
  name: string
  method: string
  /** With `{name}` for each part that varies. */
  path: string
  scope: 'public' | (typeof SCOPES)[number]
  parameters: Parameter[]
  /** The document's own example; undefined for a call without a body. */
  body: Record<string, unknown> | undefined
  success: number
  /** The error codes of each status. */
  refusals: Map<number, string[]>
}

/** Reads every operation; one without a rule about who may call it is an error. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => readOperation(path, method, operation)),
  )
}

function readOperation(path: string, method: string, operation: DocumentedOperation): Operation {
  const name = `${method.toUpperCase()} ${path}`
  const scope = (['public', ...SCOPES] as const).find((known) => known === operation['x-scope'])
  assert.ok(scope, `${name} has no rule: x-scope is ${operation['x-scope']}`)
  const statuses = Object.keys(operation.responses).map(Number)
  const [success, ...others] = statuses.filter((status) => status < 400)
  assert.ok(success !== undefined && others.length === 0, `${name} has no one success`)
  const content = operation.requestBody?.content['application/json']
  if (operation.requestBody) assert.ok(content?.example, `${name} has no example of its body`)
  return {
    name,
    method: method.toUpperCase(),
    path,
    scope,
    parameters: operation.parameters,
    body: content?.example,
    success,
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

/** What stands in for the parts of a call that vary. */
export interface Target {
  /** What is special about it, for the test's name. */
  state: string
  /** By the parameter with the segment before it, such as `assets/{id}`. */
  ids: Record<string, string>
  /** Takes the place of the example's members with the same names. */
  fields: Record<string, unknown>
}

export interface FilledCall {
  path: string
  body: Record<string, unknown> | undefined
  headers: Record<string, string>
}

/** The call with every parameter that the document gives it, but a cursor. One that nobody can fill is an error. */
export function fillCall(operation: Operation, target: Target): FilledCall {
  const { name, parameters, body } = operation
  const path = operation.path.replaceAll(/\w+\/\{\w+\}/g, (variable) => {
    const id = target.ids[variable]
    assert.ok(id, `${name}: nothing is known that could stand for ${variable}`)
    return variable.replace(/\{\w+\}/, id)
  })
  assert.doesNotMatch(path, /[{}]/, `${name}: nothing is known that could fill its path`)
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const parameter of parameters) {
    // A cursor can't be made up, and takes the place of `page`.
    if (parameter.name === 'after') continue
    const value = () => aValueOf(parameter, name)
    if (parameter.in === 'query') query.set(parameter.name, value())
    else if (parameter.in === 'header') headers[parameter.name] = value()
    else assert.equal(parameter.in, 'path', name)
  }
  const search = query.size > 0 ? `?${query}` : ''
  const filled =
    body && Object.entries(body).map(([key, value]) => [key, target.fields[key] ?? value])
  return { path: path + search, body: filled && Object.fromEntries(filled), headers }
}

function aValueOf({ name, schema }: Parameter, operation: string): string {
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  if (schema.type === 'boolean') return 'true'
  if (schema.type === 'integer') return String(schema.minimum ?? 1)
  assert.equal(schema.type, 'string', `${operation}: nothing is known that could be ${name}`)
  return `text-${randomUUID()}`
}

/** Fails unless the answer is one that the document has for the operation. */
export function assertDocumented(operation: Operation, { status, body }: Answer): void {
  if (status === operation.success) return
  const got = `${operation.name}: ${status} ${JSON.stringify(body)}`
  assert.ok(status < 500, got)
  assert.ok(operation.refusals.get(status)?.includes(body.code), `not documented: ${got}`)
}
