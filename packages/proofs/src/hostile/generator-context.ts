import type { UploadSession } from '@stowage/protocol'
import type { Random } from '@stowage/testing/machine/random'
import { Compile } from 'typebox/compile'

/** Everything that the request generators use. */
export interface GeneratorContext {
  random: Random
  pool: Pool
  operations: DocumentedOperation[]
  /** Host and port, such as `127.0.0.1:1234`. */
  hosts: { api: string; storage: string }
  key: string
  /** The orders that exist from the beginning. */
  orders: { token: string; assetId: string }[]
  /** The key for the call that deletes all assets of its account. */
  emptiedKey: string
  /**
   * The parts that are sent in this round. Each is sent only once at a time, as a second PUT of the same
   * part aborts the first one without a response.
   */
  partsInFlight: Set<string>
}

/** A file whose parts have been or will be sent. */
export interface KnownUpload {
  session: UploadSession
  bytes: Buffer
  /** The ETags that the storage returned, by part. */
  etags: Map<number, string>
}

/** A signed download URL and the bytes of the file. */
export interface KnownDownload {
  url: string
  file: Buffer
}

/** The resources that exist according to the responses. Requests that use them reach more code than others. */
export interface Pool {
  uploads: KnownUpload[]
  assets: string[]
  products: string[]
  keys: { id: string; secret: string }[]
  uploadTokens: string[]
  /** The changes of all assets that match a filter. */
  bulk: string[]
  mails: string[]
  orders: string[]
  /** The tokens of the download pages of orders. */
  orderTokens: string[]
  /** The tokens of downloads that buyers have opened. */
  fileTokens: string[]
  webhooks: string[]
  deliveries: string[]
  downloads: KnownDownload[]
}

export function emptyPool(): Pool {
  return {
    uploads: [],
    assets: [],
    products: [],
    keys: [],
    uploadTokens: [],
    bulk: [],
    mails: [],
    orders: [],
    orderTokens: [],
    fileTokens: [],
    webhooks: [],
    deliveries: [],
    downloads: [],
  }
}

export const UNKNOWN_ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'

/** Only this many of the most recent resources are picked, because most of them still exist. */
const RECENT = 30

export function pickRecent<Thing>(random: Random, things: Thing[]): Thing | undefined {
  const first = Math.max(0, things.length - RECENT)
  return things[random.between(first, things.length)]
}

/** A recent ID for the path parameter after this segment, such as `assets`. */
export function idFor(random: Random, pool: Pool, segment: string): string {
  const known: Record<string, string[]> = {
    assets: [
      ...pool.assets.slice(-RECENT / 2),
      ...pool.uploads.slice(-RECENT / 2).map((one) => one.session.id),
    ],
    products: pool.products,
    keys: pool.keys.map(({ id }) => id),
    'upload-tokens': pool.uploadTokens,
    bulk: pool.bulk,
    mails: pool.mails,
    orders: pool.orders,
    // The choice is small, so that the delivery often belongs to the webhook.
    webhooks: pool.webhooks.slice(-2),
    deliveries: pool.deliveries.slice(-2),
    versions: ['1', '2'],
  }
  return pickRecent(random, known[segment] ?? []) ?? UNKNOWN_ID
}

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

interface DeclaredResponse {
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

interface RawDocument {
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
