import { endpoints } from '@stowage/protocol'
import { changeAsset } from '../../operations/change-asset.ts'
import { deleteAsset } from '../../operations/delete-asset.ts'
import { attachProducts, detachProducts } from '../../operations/link-products.ts'
import { listAssets } from '../../operations/list-assets.ts'
import { readAsset } from '../../operations/read-asset.ts'
import { signDownload } from '../../operations/sign-download.ts'
import { storeLink } from '../../operations/store-link.ts'
import { presentAsset, presentPage } from '../present.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const assetRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listAssets, async ({ context, query, url }) => {
    const { assets, position } = await listAssets(context, query)
    const address = { base: options.baseUrl(), url }
    return { data: assets.map(presentAsset), ...presentPage(position, address) }
  })

  route(app, options, endpoints.readAsset, async ({ context, params, query }) => {
    const withProducts = query.with_products ?? false
    return { data: presentAsset(await readAsset(context, params.id, { withProducts })) }
  })

  route(app, options, endpoints.downloadAsset, async ({ context, params }, reply) => {
    const { url } = await signDownload(context, params.id)
    return reply.header('Cache-Control', 'no-store').redirect(url, 302)
  })

  route(app, options, endpoints.readDownloadAddress, async ({ context, params }, reply) => {
    const { url, expiresAt } = await signDownload(context, params.id)
    reply.header('Cache-Control', 'no-store')
    return { data: { url, expires_at: expiresAt?.toISOString() ?? null } }
  })

  route(app, options, endpoints.storeLink, async ({ context, body }) => {
    return { data: presentAsset({ asset: await storeLink(context, body) }) }
  })

  route(app, options, endpoints.changeAsset, async ({ context, params, body }) => {
    return { data: presentAsset({ asset: await changeAsset(context, params.id, body) }) }
  })

  route(app, options, endpoints.deleteAsset, async ({ context, params }) => {
    await deleteAsset(context, params.id)
    return { deleted: true }
  })

  route(app, options, endpoints.attachProducts, async ({ context, params, body }) => {
    return { data: presentAsset(await attachProducts(context, params.id, body)) }
  })

  route(app, options, endpoints.detachProducts, async ({ context, params, body }) => {
    return { data: presentAsset(await detachProducts(context, params.id, body)) }
  })
}
