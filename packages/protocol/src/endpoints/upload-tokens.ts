import { defineEndpoint } from '../endpoint.ts'
import { uploadTokenExample } from '../examples.ts'
import { UploadToken, UploadTokenRequest } from '../upload-token.ts'
import { API_PREFIX } from './prefix.ts'

/** Enough for a thousand IDs of each kind and a thousand SKUs of 150 characters. */
const BODY_LIMIT = 256 * 1024

export const createUploadToken = defineEndpoint({
  operationId: 'createUploadToken',
  methods: ['POST'],
  path: `${API_PREFIX}/upload-tokens`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Create an upload token for a web page',
  description:
    'The token replaces the API key in a page: `Authorization: Bearer stowup_…`. It can start uploads within these limits, and resume, complete and cancel its own uploads; every other call returns 403. Concurrent uploads cannot exceed the limits. An upload that is cancelled or expires no longer counts toward them. With `attach`, each file is attached to the given products when its upload is completed. Revoking the key that created the token ends the token. Not idempotent: each call creates a token.',
  body: UploadTokenRequest,
  bodyLimit: BODY_LIMIT,
  bodyExample: {
    max_bytes: 50_000_000,
    max_files: 3,
    mime: ['image/*', 'application/pdf'],
    expires_in: 3600,
    origin: 'https://shop.example',
  },
  success: {
    status: 201,
    description: 'The token, which is returned only once',
    schema: UploadToken,
    example: uploadTokenExample,
  },
  errors: ['not_found', 'not_ready', 'not_a_file', 'too_many_upload_tokens'],
})
