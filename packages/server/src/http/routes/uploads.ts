import { endpoints } from '@stowage/protocol'
import { cancelUpload } from '../../operations/uploads/cancel-upload.ts'
import { completeUpload } from '../../operations/uploads/complete-upload.ts'
import { requestUpload } from '../../operations/uploads/request-upload.ts'
import { resizeUpload } from '../../operations/uploads/resize-upload.ts'
import { resumeUpload } from '../../operations/uploads/resume-upload.ts'
import { readFileDetails } from '../requests/read-file-details.ts'
import { presentAsset } from '../responses/present-asset.ts'
import {
  presentCancelled,
  presentResumedUpload,
  presentUploadSession,
} from '../responses/present-upload.ts'
import { sendInChunks } from '../responses/send-in-chunks.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const uploadRoutes: RouteGroup = (app, options) => {
  const { baseUrl } = options

  route(app, options, endpoints.requestUpload, async ({ context, body, headers }, reply) => {
    const idempotencyKey = headers['idempotency-key']
    const session = await requestUpload(context, { file: readFileDetails(body), idempotencyKey })
    return sendInChunks(reply, presentUploadSession(session, baseUrl()))
  })

  route(app, options, endpoints.completeUpload, async ({ context, params, body }) => {
    const parts = body.parts?.map(({ PartNumber, ETag }) => ({ number: PartNumber, etag: ETag }))
    const request = { uploadId: body.upload_id, parts: parts ?? [] }
    return { data: presentAsset(await completeUpload(context, params.id, request)) }
  })

  route(app, options, endpoints.cancelUpload, async ({ context, params, body }) => {
    const request = { uploadId: body.upload_id }
    return presentCancelled(await cancelUpload(context, params.id, request))
  })

  route(app, options, endpoints.resumeUpload, async ({ context, params }, reply) => {
    const resumed = await resumeUpload(context, params.id)
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })

  route(app, options, endpoints.resizeUpload, async ({ context, params, body }, reply) => {
    const resumed = await resizeUpload(context, params.id, { size: body.size })
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })
}
