import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Tag } from './tags.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a key must be allowed to do; `public` needs no key. */
export type Scope = 'public' | 'read' | 'write' | 'manage'

export interface EndpointResponse {
  status: number
  description: string
  /** Left out for an answer without a JSON body. */
  schema?: TSchema
  example?: unknown
}

/** One call of the interface. The service routes by it, and the OpenAPI document is made from it. */
export interface Endpoint {
  operationId: string
  /** More than one only where the interface gives a call two methods. */
  methods: readonly [Method, ...Method[]]
  /** With `:name` for each part that varies. */
  path: string
  tag: Tag
  scope: Scope
  summary: string
  description: string
  params?: TObject
  query?: TObject
  headers?: TObject
  body?: TSchema
  bodyExample?: unknown
  /** Larger bodies are refused with body_too_large. */
  bodyLimit?: number
  success: EndpointResponse
  /** A response with a failure status and a body of its own instead of the error body. */
  failure?: EndpointResponse
  /** What this call can answer beyond the errors that every call can. */
  errors: readonly ErrorCode[]
}

/** Keeps the exact types of the schemas, so that a route's handler is typed by its endpoint. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint
}
