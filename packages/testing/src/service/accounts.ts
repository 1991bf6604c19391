import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Asset, CompletedPart, Key, UploadSession } from '@stowage/protocol'
import type { Environment } from '@stowage/server/src/config/config'
import { KEY_SCOPES, type KeyScope } from '@stowage/server/src/domain/key'
import { forAccount } from '@stowage/server/src/operations/context'
import { createKey } from '@stowage/server/src/operations/keys'
import {
  aService,
  type JsonResponse,
  type TestService,
  type TestServiceOptions,
} from './service.ts'
import { API, putParts } from './upload.ts'

export const ADMIN_KEY = 'an-admin-key-from-outside-0123456789-abcdef'

/** A service that requires API keys and has an admin key from its settings. */
export function aKeyedService(
  t: TestContext,
  settings: Environment = {},
  options?: TestServiceOptions,
): Promise<TestService> {
  const auth = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
  return aService(t, { ...auth, ...settings }, undefined, options)
}

/** A response, and its body as text. */
export interface TextResponse extends JsonResponse {
  text: string
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<TextResponse>

/** Returns a function that calls the service with this key, or without one. */
export function callerWith(baseUrl: string, secret?: string): Call {
  return async (method, path, body, headers) => {
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const isJson = text !== '' && type.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : text,
    }
  }
}

interface IssuedKey {
  id: string
  secret: string
}

export interface TestAccount {
  id: string
  name: string
  /** One key for each scope. */
  keys: Record<KeyScope, IssuedKey>
  /** Calls the service with the manage key. */
  call: Call
}

/** Returns an account with a new key for each scope. An account of this name is reused if it exists. */
export async function anAccount(
  { context, baseUrl }: TestService,
  { name, plan = `${name} plan`, storage = 1e9 }: { name: string; plan?: string; storage?: number },
): Promise<TestAccount> {
  const { id } = await context.database.ensureAccount({
    id: context.newId(),
    name,
    planName: plan,
    planStorage: storage,
    createdAt: context.clock(),
  })
  const issue = async (scope: KeyScope): Promise<IssuedKey> => {
    const { key, secret } = await createKey(forAccount(context, id), { name: scope, scope })
    return { id: key.id, secret }
  }
  const [read, write, manage] = await Promise.all(KEY_SCOPES.map(issue))
  assert.ok(read && write && manage)
  return { id, name, keys: { read, write, manage }, call: callerWith(baseUrl, manage.secret) }
}

interface SentUpload {
  session: UploadSession
  /** The part numbers and ETags from the storage's responses. */
  parts: CompletedPart[]
}

/** Starts an upload and sends all of its parts, but does not complete it. */
export async function sendUpload(
  call: Call,
  { bytes, ...details }: { name: string; bytes: Buffer; path?: string },
  headers?: Record<string, string>,
): Promise<SentUpload> {
  const file = { ...details, size: bytes.length, mime: 'application/zip' }
  const { status, text, body } = await call('POST', `${API}/assets/signed`, file, headers)
  assert.equal(status, 201, text)
  return { session: body, parts: await putParts(body, bytes) }
}

export async function finishUpload(call: Call, { session, parts }: SentUpload): Promise<Asset> {
  const { id, upload_id } = session
  const { status, text, body } = await call('POST', `${API}/assets/${id}/uploaded`, {
    upload_id,
    parts,
  })
  assert.equal(status, 200, text)
  return body.data
}

export const KEYS = `${API}/keys`

/** Creates a key over HTTP. Fails unless the service returns one. */
export async function requestKey(call: Call, scope: Key['scope'], name = `${scope} key`) {
  const response = await call('POST', KEYS, { name, scope })
  assert.equal(response.status, 201, response.text)
  return response.body.data as Key & { secret: string }
}
