import { endpoints } from '@stowage/protocol'
import { cancelUpload } from '../../operations/cancel-upload.ts'
import { completeUpload } from '../../operations/complete-upload.ts'
import { requestUpload } from '../../operations/request-upload.ts'
import { resumeUpload } from '../../operations/resume-upload.ts'
import {
  presentAsset,
  presentCancelled,
  presentResumedUpload,
  presentUploadSession,
} from '../present.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const uploadRoutes: RouteGroup = (app, { context, baseUrl }) => {
  route(app, endpoints.requestUpload, async ({ accountId, body, headers }) => {
    const idempotencyKey = headers['idempotency-key']
    const session = await requestUpload(context, { accountId, file: body, idempotencyKey })
    return presentUploadSession(session, baseUrl())
  })

  route(app, endpoints.completeUpload, async ({ accountId, params, body }) => {
    const parts = body.parts?.map(({ PartNumber, ETag }) => ({ number: PartNumber, etag: ETag }))
    const asset = await completeUpload(context, {
      accountId,
      assetId: params.id,
      uploadId: body.upload_id,
      parts: parts ?? [],
    })
    return { data: presentAsset(asset, { withProducts: false }) }
  })

  route(app, endpoints.cancelUpload, async ({ accountId, params, body }) => {
    const request = { accountId, assetId: params.id, uploadId: body.upload_id }
    return presentCancelled(await cancelUpload(context, request))
  })

  route(app, endpoints.resumeUpload, async ({ accountId, params }) => {
    const resumed = await resumeUpload(context, { accountId, assetId: params.id })
    return presentResumedUpload(resumed, baseUrl())
  })
}
