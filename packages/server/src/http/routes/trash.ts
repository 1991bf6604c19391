import { endpoints } from '@stowage/protocol'
import { deleteAllAssets } from '../../operations/trash/delete-all-assets.ts'
import { emptyTrash } from '../../operations/trash/empty-trash.ts'
import { restoreAsset } from '../../operations/trash/restore-assets.ts'
import { presentAsset } from '../responses/present-asset.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const trashRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.restoreAsset, async ({ context, params }) => {
    return { data: presentAsset(await restoreAsset(context, params.id)) }
  })

  route(app, options, endpoints.emptyTrash, async ({ context }) => {
    await emptyTrash(context)
    return { deleted: true }
  })

  route(app, options, endpoints.deleteAllAssets, async ({ context }) => {
    await deleteAllAssets(context)
    return { deleted: true }
  })
}
