import assert from 'node:assert/strict'
import type { NewUploadToken, UploadTokenRequest } from '@stowage/protocol'
import { type Call, callerWith } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'

export const TOKENS = `${API}/upload-tokens`

/** Creates an upload token over HTTP. Fails unless the service returns one. */
export async function requestToken(
  call: Call,
  limits: Partial<UploadTokenRequest> = {},
): Promise<NewUploadToken> {
  const response = await call('POST', TOKENS, { max_bytes: 1000, ...limits })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** A page that uses a new upload token: `call` calls the service with it. */
export async function aPage(
  service: { baseUrl: string },
  call: Call,
  limits?: Partial<UploadTokenRequest>,
): Promise<{ token: NewUploadToken; call: Call }> {
  const token = await requestToken(call, limits)
  return { token, call: callerWith(service.baseUrl, token.token) }
}
