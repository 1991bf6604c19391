import { AssetAnswer, AssetPath } from '../asset.ts'
import { defineEndpoint } from '../endpoint.ts'
import { assetExample, resumedExample, sessionExample } from '../examples.ts'
import {
  CancelledUpload,
  CancelRequest,
  CompletionRequest,
  ResizeRequest,
  ResumedUpload,
  UploadRequest,
  UploadRequestHeaders,
  UploadSession,
} from '../upload.ts'
import { API_PREFIX } from './prefix.ts'

/** A completion of 10,000 parts with the longest ETags that stores give fits. */
const COMPLETION_BODY_LIMIT = 4 * 1024 * 1024

export const requestUpload = defineEndpoint({
  operationId: 'requestUpload',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/signed`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Request a signed upload',
  description:
    'Reserves the file’s size against the plan and answers one signed address per part. PUT the bytes from `start` to `end` to each address, without a Content-Type, in any order and in parallel.',
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
    'idempotency_key_reused',
    'upload_ended',
    'storage_unavailable',
    'storage_full',
  ],
})

export const completeUpload = defineEndpoint({
  operationId: 'completeUpload',
  methods: ['POST', 'PUT'],
  path: `${API_PREFIX}/assets/:id/uploaded`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Notify that the upload is complete',
  description:
    'Both methods are the same call. `parts` may be partial or left out: the service asks the storage. A refusal leaves the upload as it was; repeating a success gives the same answer.',
  params: AssetPath,
  body: CompletionRequest,
  bodyLimit: COMPLETION_BODY_LIMIT,
  bodyExample: {
    upload_id: sessionExample.upload_id,
    parts: [{ ETag: '9b2cf535f27731c974343645a3985328', PartNumber: 1 }],
  },
  success: {
    status: 200,
    description: 'The asset, ready',
    schema: AssetAnswer,
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
  summary: 'Cancel an upload',
  description:
    'Removes the parts already uploaded and frees the reserved bytes at once. Repeating it gives the same answer.',
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

export const resumeUpload = defineEndpoint({
  operationId: 'resumeUpload',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/upload`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Resume an upload',
  description:
    'Answers fresh addresses for the parts still missing and lists those that the storage holds. Asking renews the time that the upload may take.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'The session as it stands',
    schema: ResumedUpload,
    example: resumedExample,
  },
  errors: ['not_found', 'storage_unavailable'],
})

export const resizeUpload = defineEndpoint({
  operationId: 'resizeUpload',
  methods: ['PATCH'],
  path: `${API_PREFIX}/assets/:id/upload`,
  tag: 'Uploads',
  scope: 'write',
  summary: 'Change the declared size of an upload',
  description:
    'For files whose size is known only at the end: declare more while sending, and the true size before the last part. The reserved bytes change with it; `chunk_size` stays. Answers as GET does, with URLs for the parts still missing. A part that was received with another length than the new size gives it counts as missing. A refusal changes nothing.',
  params: AssetPath,
  body: ResizeRequest,
  bodyExample: { size: 300_000_000 },
  success: {
    status: 200,
    description: 'The session as it stands',
    schema: ResumedUpload,
    example: resumedExample,
  },
  errors: [
    'not_found',
    'storage_exceeded',
    'already_uploaded',
    'upload_completing',
    'storage_unavailable',
    'storage_full',
  ],
})
