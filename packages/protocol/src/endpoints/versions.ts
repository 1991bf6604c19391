import { Deleted } from '../account.ts'
import { AssetPath, AssetResponse, VersionList, VersionPath } from '../asset.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { assetExample, sessionExample, versionsExample } from '../examples.ts'
import { ReplacementRequest, UploadRequestHeaders, UploadSession } from '../upload.ts'

export const requestReplacement = defineEndpoint({
  operationId: 'requestReplacement',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/signed`,
  tag: 'Versions',
  scope: 'write',
  allowsUploadTokens: true,
  summary: 'Replace a file',
  description:
    'Returns a session for a new version of the file, as `POST /assets/signed` does for a new asset. Until `POST /assets/:id/uploaded` is called with its `upload_id`, the asset does not change and can be downloaded. The products of the asset and all links to it stay the same. An asset has at most one unfinished replacement.',
  params: AssetPath,
  headers: UploadRequestHeaders,
  body: ReplacementRequest,
  bodyExample: { size: 250_000_000, mime: 'application/zip' },
  success: {
    status: 201,
    description: 'The upload session',
    schema: UploadSession,
    example: sessionExample,
  },
  errors: [
    'not_found',
    'not_ready',
    'not_a_file',
    'replacement_in_progress',
    'storage_exceeded',
    'upload_token_exceeded',
    'idempotency_key_reused',
    'upload_ended',
    'storage_unavailable',
  ],
})

export const listVersions = defineEndpoint({
  operationId: 'listVersions',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/versions`,
  tag: 'Versions',
  scope: 'read',
  summary: 'List the versions of a file',
  description:
    'The current version and the older versions that are kept (`STOWAGE_KEEP_VERSIONS`). Older versions count as stored.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'All versions',
    schema: VersionList,
    example: { data: versionsExample },
  },
  errors: ['not_found', 'not_ready', 'not_a_file'],
})

export const downloadVersion = defineEndpoint({
  operationId: 'downloadVersion',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/versions/:version/download`,
  tag: 'Versions',
  scope: 'read',
  summary: 'Download a version of a file',
  description: 'Redirects to a short-lived signed URL that supports range requests.',
  params: VersionPath,
  success: { status: 302, description: '`Location` is the URL of the version' },
  errors: ['not_found', 'not_ready', 'not_a_file', 'damaged', 'verifying', 'storage_unavailable'],
})

export const restoreVersion = defineEndpoint({
  operationId: 'restoreVersion',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/versions/:version/restore`,
  tag: 'Versions',
  scope: 'write',
  summary: 'Restore a version of a file',
  description:
    'Makes the version current, with its content, name and number. The version that was current is kept as an older one. Repeating the call returns the same response.',
  params: VersionPath,
  success: {
    status: 200,
    description: 'The asset with its current version',
    schema: AssetResponse,
    example: { data: assetExample },
  },
  errors: ['not_found', 'not_ready', 'not_a_file'],
})

export const deleteVersion = defineEndpoint({
  operationId: 'deleteVersion',
  methods: ['DELETE'],
  path: `${API_PREFIX}/assets/:id/versions/:version`,
  tag: 'Versions',
  scope: 'write',
  summary: 'Delete an older version of a file',
  description:
    'Frees the storage of the version immediately. The file itself is removed in the background. The current version cannot be deleted.',
  params: VersionPath,
  success: {
    status: 202,
    description: 'The version is deleted',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: ['not_found', 'not_ready', 'not_a_file', 'current_version'],
})
