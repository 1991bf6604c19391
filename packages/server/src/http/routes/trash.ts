import { type BulkRequest, endpoints } from '@stowage/protocol'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../../operations/context.ts'
import { attachAssets, detachAssets } from '../../operations/trash/attach-assets.ts'
import { deleteAllAssets } from '../../operations/trash/delete-all-assets.ts'
import { deleteAssets } from '../../operations/trash/delete-assets.ts'
import { emptyTrash } from '../../operations/trash/empty-trash.ts'
import { restoreAsset, restoreAssets } from '../../operations/trash/restore-assets.ts'
import { readProductSelection } from '../requests/read-product-selection.ts'
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

  route(app, options, endpoints.changeAssets, async ({ context, body }) => {
    const ids = [...new Set(body.ids.map((id) => id.toLowerCase()))]
    await change(context, ids, body)
    return { data: { action: body.action, assets: ids.length } }
  })
}

async function change(context: AccountContext, ids: string[], body: BulkRequest): Promise<void> {
  const { permanent: isPermanent = false } = body
  if (body.action === 'delete') await deleteAssets(context, ids, { isPermanent })
  else if (isPermanent) throw invalid({ permanent: ['can only be used with delete'] })
  else if (body.action === 'restore') await restoreAssets(context, ids)
  else {
    const changeAttachments = body.action === 'attach' ? attachAssets : detachAssets
    await changeAttachments(context, ids, readProductSelection(body))
  }
}
