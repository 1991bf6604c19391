import { endpoints } from '@stowage/protocol'
import { cancelUpload } from '../../operations/uploads/cancel-upload.ts'
import { completeUpload } from '../../operations/uploads/complete-upload.ts'
import { createUploadList } from '../../operations/uploads/list-uploads.ts'
import { requestUpload } from '../../operations/uploads/request-upload.ts'
import { resizeUpload } from '../../operations/uploads/resize-upload.ts'
import { resumeUpload } from '../../operations/uploads/resume-upload.ts'
import { readFileDetails } from '../requests/read-file-details.ts'
import { readPageRequest } from '../requests/read-page-request.ts'
import { presentAsset } from '../responses/present-asset.ts'
import { presentPage } from '../responses/present-page.ts'
import {
  presentCancelled,
  presentListedUpload,
  presentResumedUpload,
  presentUploadSession,
} from '../responses/present-upload.ts'
import { sendInChunks } from '../responses/send-in-chunks.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const uploadRoutes: RouteGroup = (app, options) => {
  const { baseUrl } = options
  const listUploads = createUploadList()

  route(app, options, endpoints.requestUpload, async (request, reply) => {
    const { context, body, headers, actor } = request
    const idempotencyKey = headers['idempotency-key']
    const file = readFileDetails(body)
    const session = await requestUpload(context, { file, idempotencyKey, startedBy: actor })
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

  route(app, options, endpoints.listUploads, async ({ context, query, url }) => {
    const request = { ...readPageRequest(query, 'created_at'), filename: query.filename }
    const { uploads, position } = await listUploads(context, request)
    const page = presentPage(position, { base: baseUrl(), url })
    return { data: uploads.map(presentListedUpload), ...page }
  })

  route(app, options, endpoints.resumeUpload, async ({ context, params, query }, reply) => {
    const resumed = await resumeUpload(context, params.id, query.upload_id)
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })

  route(app, options, endpoints.resizeUpload, async ({ context, params, query, body }, reply) => {
    const request = { size: body.size, minSize: body.min_size, uploadId: query.upload_id }
    const resumed = await resizeUpload(context, params.id, request)
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })
}
