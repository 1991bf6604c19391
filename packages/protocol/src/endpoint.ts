import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Tag } from './tags.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The scope that a key must have; `public` needs no key. */
export type Scope = 'public' | 'read' | 'write' | 'manage'

export interface EndpointResponse {
  status: number
  description: string
  /** Omitted for a response without a JSON body. */
  schema?: TSchema
  example?: unknown
}

/** One call of the API. The routes and the OpenAPI document are generated from it. */
export interface Endpoint {
  operationId: string
  /** The first is the main one; the others are equivalent. */
  methods: readonly [Method, ...Method[]]
  /** With `:name` for each parameter. */
  path: string
  tag: Tag
  scope: Scope
  /** Whether upload tokens may make this call, for their own uploads. */
  allowsUploadTokens?: boolean
  summary: string
  description: string
  params?: TObject
  query?: TObject
  headers?: TObject
  body?: TSchema
  bodyExample?: unknown
  /** A request without a body is treated like one with an empty object. */
  isBodyOptional?: boolean
  /** Larger bodies are refused with `body_too_large`. */
  bodyLimit?: number
  success: EndpointResponse
  /** A failure whose body differs from that of all other errors. */
  failure?: EndpointResponse
  /** The errors of this call, besides those that every call can return. */
  errors: readonly ErrorCode[]
}

/** Keeps the exact types of the schemas, so that the endpoint types the route’s handler. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint
}
