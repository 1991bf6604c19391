import type * as wire from '@stowage/protocol'
import { endpoints } from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { AssetVersion } from '../../domain/asset.ts'
import {
  deleteVersion,
  listVersions,
  removedNext,
  restoreVersion,
  signVersionDownload,
} from '../../operations/versions.ts'
import { presentAsset, presentChecksum } from '../../wire/resources.ts'
import { type RouteGroup, route } from '../route.ts'

export const versionRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listVersions, async ({ context, params }) => {
    const versions = await listVersions(context, params.id)
    const removed = removedNext(versions, context.settings)
    return { data: versions.map((one) => presentVersion(one, removed.has(one.version))) }
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

function presentVersion(version: AssetVersion, isRemovedNext: boolean): wire.Version {
  return {
    version: version.version,
    filename: version.filename,
    size: formatSize(version.bytes),
    bytes: version.bytes,
    mime: version.mime,
    created_at: formatTimestamp(version.createdAt),
    checksum: presentChecksum(version.integrity),
    damaged: version.integrity.isDamaged,
    current: version.isCurrent,
    removed_next: isRemovedNext,
  }
}
