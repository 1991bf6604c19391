import { Compile } from 'typebox/compile'

/** The keywords of JSON Schema that the OpenAPI document uses for requests. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  enum?: unknown[]
  anyOf?: Schema[]
  $ref?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: Schema
}

export interface DeclaredResponse {
  /** How the body violates the declared schema. */
  schemaErrors(body: unknown): string[]
  /** The error codes of this status. Empty for a success. */
  codes: string[]
  hasBody: boolean
}

export interface DocumentedOperation {
  /** `POST /api/v1/assets/{id}/attach` */
  name: string
  method: string
  path: string
  isPublic: boolean
  parameters: Parameter[]
  body: Schema | undefined
  responses: Map<number, DeclaredResponse>
}

interface RawOperation {
  'x-scope'?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<
    string,
    { content?: Record<string, { schema: Schema; examples?: Record<string, unknown> }> }
  >
}

export interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
}

/** Every operation of the document, with its schemas resolved. */
export function readDocument(document: RawDocument): DocumentedOperation[] {
  const resolve = (schema: Schema) => resolveReferences(schema, document.components.schemas)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      isPublic: operation['x-scope'] === 'public',
      parameters: operation.parameters ?? [],
      body: jsonOf(operation.requestBody?.content, resolve),
      responses: readResponses(operation, resolve),
    })),
  )
}

function readResponses({ responses }: RawOperation, resolve: (schema: Schema) => Schema) {
  const declared = new Map<number, DeclaredResponse>()
  for (const [status, { content }] of Object.entries(responses)) {
    if (status === 'default') continue
    const schema = jsonOf(content, resolve)
    const validator = schema && Compile(schema as object)
    declared.set(Number(status), {
      schemaErrors: (body) =>
        [...(validator?.Errors(body) ?? [])].map((fault) => JSON.stringify(fault)),
      codes: Number(status) < 400 ? [] : Object.keys(content?.['application/json']?.examples ?? {}),
      hasBody: schema !== undefined,
    })
  }
  return declared
}

function jsonOf(
  content: Record<string, { schema: Schema }> | undefined,
  resolve: (schema: Schema) => Schema,
): Schema | undefined {
  const schema = content?.['application/json']?.schema
  return schema && resolve(schema)
}

function resolveReferences(schema: Schema, components: Record<string, Schema>): Schema {
  return JSON.parse(JSON.stringify(schema), (_name, value) => {
    if (typeof value?.$ref !== 'string') return value
    const component = components[value.$ref.split('/').at(-1)]
    return component && resolveReferences(component, components)
  })
}
