import { endpoints } from '@stowage/protocol'
import { deleteAllAssets, emptyTrash, restoreAsset } from '../../operations/trash.ts'
import { presentAsset } from '../../wire/resources.ts'
import { type RouteGroup, route } from '../route.ts'

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
