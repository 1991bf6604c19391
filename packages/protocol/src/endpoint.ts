import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The scope that a key must have; `public` needs no key, and `operator` is only for the operator's key. */
export type Scope = 'public' | 'read' | 'write' | 'manage' | 'operator'

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
  /** Each call has another effect, so that an `Idempotency-Key` would promise what the call does not do. */
  refusesIdempotencyKey?: boolean
  /** A request without a body is treated like one with an empty object. */
  isBodyOptional?: boolean
  /** Larger bodies are refused with `body_too_large`. */
  bodyLimit?: number
  success: EndpointResponse
  /** The response to a call that creates nothing, because what it creates exists. */
  existing?: EndpointResponse
  /** A failure whose body differs from that of all other errors. */
  failure?: EndpointResponse
  /** The errors of this call, besides those that every call can return. */
  errors: readonly ErrorCode[]
}

/** Keeps the exact types of the schemas, so that the endpoint types the route’s handler. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint
}

/** The groups of calls, in the order of the reference. */
export const TAGS = {
  Uploads: 'Upload files in parts, straight to the storage. Uploads resume from any machine.',
  Assets:
    'Files, and links to external URLs: list, view, download, rename, delete, and attach them to products.',
  Folders:
    'Browse the assets by their folders, and rename or move folders. A folder exists while an asset has its path.',
  Versions: 'Replace a file under the same asset, and restore older versions.',
  Trash:
    'Deleted assets can be restored for a limited time. Their storage is available to new uploads.',
  Products: 'The products of the shop, keyed by their product and variant IDs.',
  Orders:
    'What buyers may download: their download pages, the limits, and the log. An order may be identified by its ID or by the shop’s reference.',
  Mail: 'What the service sends to buyers: the outbox, the texts, and news of new versions.',
  Events:
    'Every change of uploads, assets, products, orders, API keys, upload tokens and webhooks, in order: what happened, when, and who did it.',
  Account:
    'The plan and its usage, the API keys of the account, and the sessions of the dashboard.',
  Webhooks:
    'Endpoints of your own that receive the events of the account as signed requests, as defined by Standard Webhooks.',
  Operator:
    'The whole service, for who runs it. These calls need the operator’s key (`STOWAGE_ADMIN_KEY`), or a service that is open.',
  Service: 'Health checks and this document. These calls need no key.',
} as const

type Tag = keyof typeof TAGS

export const API_PREFIX = '/api/v1'
