import { endpoints } from '@stowage/protocol'
import { requestUpload } from '../../operations/uploads/request-upload.ts'
import { deleteVersion } from '../../operations/versions/delete-version.ts'
import { listVersions } from '../../operations/versions/list-versions.ts'
import { restoreVersion } from '../../operations/versions/restore-version.ts'
import { signVersionDownload } from '../../operations/versions/sign-version-download.ts'
import { readReplacementDetails } from '../requests/read-file-details.ts'
import { presentAsset } from '../responses/present-asset.ts'
import { presentUploadSession } from '../responses/present-upload.ts'
import { presentVersion } from '../responses/present-version.ts'
import { sendInChunks } from '../responses/send-in-chunks.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const versionRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.requestReplacement, async (request, reply) => {
    const { context, params, body, headers, actor } = request
    const session = await requestUpload(context, {
      file: readReplacementDetails(body),
      idempotencyKey: headers['idempotency-key'],
      startedBy: actor,
      replaces: params.id,
    })
    return sendInChunks(reply, presentUploadSession(session, options.baseUrl()))
  })

  route(app, options, endpoints.listVersions, async ({ context, params }) => {
    return { data: (await listVersions(context, params.id)).map(presentVersion) }
  })

  route(app, options, endpoints.downloadVersion, async ({ context, params }, reply) => {
    const { url } = await signVersionDownload(context, params.id, params.version)
    return reply.header('Cache-Control', 'no-store').redirect(url, 302)
  })

  route(app, options, endpoints.restoreVersion, async ({ context, params }) => {
    return { data: presentAsset(await restoreVersion(context, params.id, params.version)) }
  })

  route(app, options, endpoints.deleteVersion, async ({ context, params }) => {
    await deleteVersion(context, params.id, params.version)
    return { deleted: true }
  })
}
