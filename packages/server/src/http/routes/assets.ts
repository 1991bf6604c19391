import { endpoints } from '@stowage/protocol'
import { getAsset } from '../../operations/get-asset.ts'
import { listAssets } from '../../operations/list-assets.ts'
import { signDownload } from '../../operations/sign-download.ts'
import { presentAsset, presentPage } from '../present.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const assetRoutes: RouteGroup = (app, { context, baseUrl }) => {
  route(app, endpoints.listAssets, async ({ accountId, query, url }) => {
    const { assets, position } = await listAssets(context, { accountId, ...query })
    const withProducts = query.with_products ?? false
    return {
      data: assets.map((asset) => presentAsset(asset, { withProducts })),
      ...presentPage(position, {
        path: baseUrl() + endpoints.listAssets.path,
        query: new URLSearchParams(url.split('?')[1]),
      }),
    }
  })

  route(app, endpoints.readAsset, async ({ accountId, params, query }) => {
    const asset = await getAsset(context, { accountId, assetId: params.id })
    return { data: presentAsset(asset, { withProducts: query.with_products ?? false }) }
  })

  route(app, endpoints.downloadAsset, async ({ accountId, params }, reply) => {
    const location = await signDownload(context, { accountId, assetId: params.id })
    return reply.header('Cache-Control', 'no-store').redirect(location, 302)
  })
}
