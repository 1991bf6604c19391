import type { TObject, TSchema } from 'typebox'
import { type Endpoint, type EndpointResponse, type Method, TAGS } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import { EVENT_ID_EXAMPLE } from './event.ts'
import { introduction } from './introduction.ts'
import {
  ConflictBody,
  ErrorBody,
  EventsForgottenBody,
  PlanExceededBody,
  UploadTokenExceededBody,
} from './service.ts'

const REPOSITORY = 'https://github.com/stowage/stowage'

/** Additional fields of the example error bodies, and messages that depend on them. */
const EXAMPLE_DETAILS: Partial<Record<ErrorCode, object>> = {
  storage_exceeded: {
    message: 'The file needs 5 GB, but the plan has 1.2 GB left. Delete files or upgrade the plan.',
    needed: 5_000_000_000,
    available: 1_200_000_000,
    limit: 1_000_000_000_000,
    stored: 998_000_000_000,
    reserved: 800_000_000,
  },
  assets_exceeded: {
    message:
      'The upload needs 1 asset, but the plan allows 0 more: at most 1000 assets and unfinished uploads together. Delete assets, cancel uploads or upgrade the plan.',
    needed: 1,
    available: 0,
    limit: 1000,
  },
  upload_token_exceeded: {
    message:
      'The file needs 80 MB, but the upload token has 20 MB left. Choose a smaller file, or request another upload token.',
    remaining_bytes: 20_000_000,
    remaining_files: 2,
  },
  replacement_in_progress: { upload_id: '01981d2c-5a7e-7f02-8a41-0c9d8e7f6a5b' },
  events_forgotten: { last_id: EVENT_ID_EXAMPLE },
  events_reset: { last_id: EVENT_ID_EXAMPLE },
  invalid: {
    message: 'name must be a string of 1 to 255 characters.',
    errors: { name: ['must be a string of 1 to 255 characters'] },
  },
}

/** The schemas of the error bodies with additional fields. */
const BODIES = [
  { code: 'upload_token_exceeded', schema: UploadTokenExceededBody },
  { code: 'storage_exceeded', schema: PlanExceededBody },
  { code: 'assets_exceeded', schema: PlanExceededBody },
  { code: 'replacement_in_progress', schema: ConflictBody },
  { code: 'events_forgotten', schema: EventsForgottenBody },
  { code: 'events_reset', schema: EventsForgottenBody },
] as const

/** The errors that follow from the method, the scope and the schemas of the endpoint. */
function commonErrors(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['malformed_request', 'internal']
  if (endpoint.scope !== 'public') {
    codes.push('unauthenticated', 'key_expired', 'forbidden', 'account_deleted')
    codes.push('too_many_requests', 'database_unavailable')
    const isChange = endpoint.methods[0] !== 'GET' && endpoint.scope !== 'read'
    if (isChange) codes.push('account_suspended')
  }
  // Deleting also writes to the database, so any change can fail on a full disk once the reserved space is used up.
  if (endpoint.methods[0] !== 'GET') codes.push('storage_full')
  const { query, headers, refusesIdempotencyKey } = endpoint
  if (query !== undefined || headers !== undefined || refusesIdempotencyKey) codes.push('invalid')
  if (endpoint.body !== undefined) {
    codes.push(
      'invalid',
      'malformed_json',
      'body_too_large',
      'unsupported_media_type',
      'overloaded',
    )
  }
  return codes
}

/** Every error code of the call, in the order of the catalog. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([...commonErrors(endpoint), ...endpoint.errors])
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))
}

type Components = Record<string, TSchema>

/** Replaces every titled schema with a reference, and adds it to the components under its title. */
function reference(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => reference(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const title = 'title' in schema && typeof schema.title === 'string' ? schema.title : undefined
  if (title !== undefined && components[title] !== undefined) return componentRef(title)
  if (title !== undefined) components[title] = {}
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, reference(value, components)]),
  )
  if (title === undefined) return copy
  components[title] = copy
  return componentRef(title)
}

function componentRef(title: string) {
  return { $ref: `#/components/schemas/${title}` }
}

function parametersOf(location: 'path' | 'query' | 'header', schema: TObject | undefined) {
  if (schema === undefined) return []
  const required = new Set<string>(schema.required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => ({
    name: location === 'header' ? headerName(name) : name,
    in: location,
    required: location === 'path' || required.has(name),
    description: (property as { description?: string }).description,
    schema: property,
  }))
}

function headerName(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase())
}

function errorResponses(endpoint: Endpoint, components: Components) {
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => ERRORS[code].status)
  return [...byStatus].map(([status, codes]) => {
    const schema = BODIES.find(({ code }) => codes.includes(code))?.schema ?? ErrorBody
    const examples = codes.map((code) => [
      code,
      {
        summary: ERRORS[code].when,
        value: { message: exampleMessage(code), code, ...EXAMPLE_DETAILS[code] },
      },
    ])
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
        content: {
          'application/json': {
            schema: reference(schema, components),
            examples: Object.fromEntries(examples),
          },
        },
      },
    ]
  })
}

/** States what happened, then what to do. Messages are plain text, without the Markdown of the catalog. */
function exampleMessage(code: ErrorCode): string {
  const { when, remedy } = ERRORS[code]
  return `${when} ${remedy}`.replaceAll('`', '')
}

function jsonContent(schema: unknown, example: unknown) {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

function response(
  { status, description, schema, example }: EndpointResponse,
  components: Components,
) {
  const content = schema && jsonContent(reference(schema, components), example)
  return [
    status,
    { description, ...(status === 201 && { headers: LOCATION }), ...(content && { content }) },
  ]
}

const LOCATION = {
  Location: {
    description: 'The URL of what the call has created',
    schema: { type: 'string', format: 'uri' },
  },
}

function operation(endpoint: Endpoint, method: Method, components: Components) {
  const { success, existing, failure, body } = endpoint
  const isAlias = method !== endpoint.methods[0]
  return {
    operationId: isAlias
      ? `${endpoint.operationId}By${headerName(method.toLowerCase())}`
      : endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    'x-scope': endpoint.scope,
    ...(endpoint.allowsUploadTokens && { 'x-upload-tokens': true }),
    security: endpoint.scope === 'public' ? [] : [{ key: [] }],
    parameters: [
      ...parametersOf('path', endpoint.params),
      ...parametersOf('query', endpoint.query),
      ...parametersOf('header', endpoint.headers),
    ],
    ...(body && {
      requestBody: {
        required: !endpoint.isBodyOptional,
        content: jsonContent(reference(body, components), endpoint.bodyExample),
      },
    }),
    responses: Object.fromEntries([
      response(success, components),
      ...(existing ? [response(existing, components)] : []),
      ...(failure ? [response(failure, components)] : []),
      ...errorResponses(endpoint, components),
      ['default', { $ref: '#/components/responses/OtherError' }],
    ]),
  }
}

/** The OpenAPI 3.1 document of the service at `baseUrl`. */
export function buildOpenApi(options: { baseUrl: string; version: string }) {
  const components: Components = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operations = endpoint.methods.map((method) => [
      method.toLowerCase(),
      operation(endpoint, method, components),
    ])
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stowage',
      version: options.version,
      summary: 'Stores digital assets and attaches them to products.',
      description: introduction(options.baseUrl),
      contact: { name: 'Stowage', url: REPOSITORY },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components,
      responses: {
        OtherError: {
          description: 'Any other error. It has the same body.',
          content: { 'application/json': { schema: reference(ErrorBody, components) } },
        },
      },
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key. Calls with `x-upload-tokens` also accept an upload token. An open service (loopback only) requires none.',
        },
      },
    },
  }
}
