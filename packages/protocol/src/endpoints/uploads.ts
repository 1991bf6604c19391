import { Revoked } from '../account.ts'
import { AssetPath, AssetResponse } from '../asset.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import {
  assetExample,
  listedUploadExample,
  newUploadTokenExample,
  pageExample,
  resumedExample,
  sessionExample,
  uploadTokenExample,
} from '../examples.ts'
import { PageOnlyQuery } from '../paging.ts'
import { CreationHeaders } from '../schema.ts'
import {
  CancelledUpload,
  CancelRequest,
  CompletionRequest,
  ListUploadsQuery,
  ResizeRequest,
  ResumedUpload,
  UploadPage,
  UploadRequest,
  UploadRequestHeaders,
  UploadSelection,
  UploadSession,
} from '../upload.ts'
import {
  NewUploadToken,
  UploadTokenPage,
  UploadTokenPath,
  UploadTokenRequest,
  UploadTokenResponse,
} from '../upload-token.ts'

/** Enough to complete 10,000 parts with the longest ETags of any storage. */
const COMPLETION_BODY_LIMIT = 4 * 1024 * 1024

export const requestUpload = defineEndpoint({
  operationId: 'requestUpload',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/signed`,
  tag: 'Uploads',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Request a signed upload',
  description:
    'Reserves the file’s size against the plan and returns one signed URL per part. PUT the bytes from `start` to `end` to each URL, without a Content-Type header, in any order and in parallel.',
  headers: UploadRequestHeaders,
  body: UploadRequest,
  bodyExample: { name: 'sample-pack.zip', size: 250_000_000, mime: 'application/zip' },
  success: {
    status: 201,
    description: 'The upload session',
    schema: UploadSession,
    example: sessionExample,
  },
  errors: [
    'storage_exceeded',
    'assets_exceeded',
    'upload_token_exceeded',
    'idempotency_key_reused',
    'upload_ended',
    'storage_unavailable',
  ],
})

export const completeUpload = defineEndpoint({
  operationId: 'completeUpload',
  methods: ['POST', 'PUT'],
  path: `${API_PREFIX}/assets/:id/uploaded`,
  tag: 'Uploads',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Complete an upload',
  description:
    'Call this when all parts are uploaded. If the upload replaces a file, the new version becomes current in one step: downloads that have begun return the old version, later ones the new version, as soon as it is compared with its declared `sha256`, if there is one. POST and PUT are equivalent. `parts` may be incomplete or omitted, and so may the whole body: the service looks up the parts in the storage. If the call fails, the parts are kept, and the call can be repeated. Once the service has asked the storage to complete the upload, the size can no longer change. Repeating a successful call returns the same response.',
  params: AssetPath,
  body: CompletionRequest,
  isBodyOptional: true,
  bodyLimit: COMPLETION_BODY_LIMIT,
  bodyExample: {
    upload_id: sessionExample.upload_id,
    parts: [{ ETag: '9b2cf535f27731c974343645a3985328', PartNumber: 1 }],
  },
  success: {
    status: 200,
    description: 'The ready asset',
    schema: AssetResponse,
    example: { data: assetExample },
  },
  errors: ['not_found', 'completion_refused', 'storage_unavailable'],
})

export const cancelUpload = defineEndpoint({
  operationId: 'cancelUpload',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/cancel`,
  tag: 'Uploads',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Cancel an upload',
  description:
    'Removes the uploaded parts and frees the reserved bytes immediately. Cancelling the upload of a new version does not change the asset. Repeating the call returns the same response.',
  params: AssetPath,
  body: CancelRequest,
  bodyExample: { upload_id: sessionExample.upload_id },
  success: {
    status: 200,
    description: 'The upload is cancelled',
    schema: CancelledUpload,
    example: {
      data: {
        id: sessionExample.id,
        upload_id: sessionExample.upload_id,
        status: 'cancelled',
      },
    },
  },
  errors: ['not_found', 'already_uploaded', 'upload_completing'],
})

export const listUploads = defineEndpoint({
  operationId: 'listUploads',
  methods: ['GET'],
  path: `${API_PREFIX}/uploads`,
  tag: 'Uploads',
  scope: 'read',
  summary: 'List unfinished uploads',
  description:
    'The uploads of the account that are neither completed nor cancelled, newest first. `GET /assets/:id/upload` resumes one of them, `POST /assets/:id/cancel` discards it. This call does not extend their expiry.',
  query: ListUploadsQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: UploadPage,
    example: { data: [listedUploadExample], ...pageExample('uploads') },
  },
  errors: [],
})

export const resumeUpload = defineEndpoint({
  operationId: 'resumeUpload',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/upload`,
  tag: 'Uploads',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Resume an upload',
  description:
    'Returns new URLs for the missing parts and lists the parts in the storage. Each call extends the expiry of the upload, unless the upload token that started it has expired.',
  params: AssetPath,
  query: UploadSelection,
  success: {
    status: 200,
    description: 'The current state of the upload',
    schema: ResumedUpload,
    example: resumedExample,
  },
  errors: ['not_found', 'storage_unavailable', 'storage_full'],
})

export const resizeUpload = defineEndpoint({
  operationId: 'resizeUpload',
  methods: ['PATCH'],
  path: `${API_PREFIX}/assets/:id/upload`,
  tag: 'Uploads',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Change the declared size of an upload',
  description:
    'For files whose size is known only at the end: declare a larger size while sending, with `min_size`, and the final size before the last part. The reserved bytes change accordingly; `chunk_size` does not change. Returns the same as GET, with URLs for the missing parts. A received part whose length does not fit the new size counts as missing. If the call fails, nothing changes.',
  params: AssetPath,
  query: UploadSelection,
  body: ResizeRequest,
  bodyExample: { size: 250_000_000 },
  success: {
    status: 200,
    description: 'The current state of the upload',
    schema: ResumedUpload,
    example: resumedExample,
  },
  errors: [
    'not_found',
    'storage_exceeded',
    'already_uploaded',
    'upload_completing',
    'upload_token_exceeded',
    'storage_unavailable',
  ],
})

/** Enough for a thousand IDs of each kind and a thousand SKUs of 150 characters. */
const TOKEN_BODY_LIMIT = 256 * 1024

export const createUploadToken = defineEndpoint({
  operationId: 'createUploadToken',
  methods: ['POST'],
  path: `${API_PREFIX}/upload-tokens`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Create an upload token for a web page',
  description:
    'The token replaces the API key in a page: `Authorization: Bearer stowup_…`. It can start uploads within these limits, and resume, complete and cancel its own uploads; every other call returns 403. Concurrent uploads cannot exceed the limits. An upload that is cancelled or expires no longer counts toward them. With `attach`, each file is attached to the given products when its upload is completed. `DELETE /upload-tokens/:id` ends the token, and so does revoking the key that created it. Without an `Idempotency-Key`, each call creates a token.',
  headers: CreationHeaders,
  body: UploadTokenRequest,
  bodyLimit: TOKEN_BODY_LIMIT,
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
    schema: NewUploadToken,
    example: newUploadTokenExample,
  },
  errors: [
    'not_found',
    'not_ready',
    'not_a_file',
    'too_many_upload_tokens',
    'idempotency_key_reused',
    'result_gone',
    'secret_key_missing',
  ],
})

export const listUploadTokens = defineEndpoint({
  operationId: 'listUploadTokens',
  methods: ['GET'],
  path: `${API_PREFIX}/upload-tokens`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'List the upload tokens',
  description:
    'The tokens that can start uploads, newest first: those that were revoked or have expired are not listed.',
  query: PageOnlyQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: UploadTokenPage,
    example: { data: [uploadTokenExample], ...pageExample('upload-tokens') },
  },
  errors: [],
})

export const readUploadToken = defineEndpoint({
  operationId: 'readUploadToken',
  methods: ['GET'],
  path: `${API_PREFIX}/upload-tokens/:id`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'View an upload token',
  description:
    'The limits of the token. A token that was revoked or has expired can be read for 24 hours, and while it has unfinished uploads.',
  params: UploadTokenPath,
  success: {
    status: 200,
    description: 'The token, without its secret',
    schema: UploadTokenResponse,
    example: { data: uploadTokenExample },
  },
  errors: ['not_found'],
})

export const revokeUploadToken = defineEndpoint({
  operationId: 'revokeUploadToken',
  methods: ['DELETE'],
  path: `${API_PREFIX}/upload-tokens/:id`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Revoke an upload token',
  description:
    'The token stops working immediately, also for the uploads that it has started. These can be continued or cancelled with an API key; otherwise they expire. Files that it has uploaded stay. Repeating the call has no effect.',
  params: UploadTokenPath,
  success: {
    status: 200,
    description: 'The token is revoked',
    schema: Revoked,
    example: { revoked: true },
  },
  errors: ['not_found'],
})
