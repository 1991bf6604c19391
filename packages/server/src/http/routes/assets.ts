import { endpoints } from '@stowage/protocol'
import type { FastifyReply } from 'fastify'
import type { Asset } from '../../domain/asset.ts'
import { attachProducts, detachProducts } from '../../operations/assets/attach-products.ts'
import { changeAsset } from '../../operations/assets/change-asset.ts'
import { deleteAsset } from '../../operations/assets/delete-asset.ts'
import { getAsset } from '../../operations/assets/get-asset.ts'
import { listAssets } from '../../operations/assets/list-assets.ts'
import { sliceProducts } from '../../operations/assets/read-products-of-assets.ts'
import { signDownload } from '../../operations/assets/sign-download.ts'
import { storeLink } from '../../operations/assets/store-link.ts'
import type { AccountContext } from '../../operations/context.ts'
import { listProducts } from '../../operations/products/list-products.ts'
import { presentAsset, presentPage, presentProduct } from '../present.ts'
import { AROUND_ONE, aroundList, assetTexts } from '../present-json-chunks.ts'
import { route } from '../route.ts'
import { inSlices } from '../send-json-stream.ts'
import type { RouteGroup } from './route-group.ts'

export const assetRoutes: RouteGroup = (app, options) => {
  const addressOf = (url: string) => ({ base: options.baseUrl(), url })

  function answerWithProducts(reply: FastifyReply, context: AccountContext, asset: Asset) {
    return inSlices(reply, assetTexts(sliceProducts(context, [asset])), AROUND_ONE)
  }

  route(app, options, endpoints.listAssets, async ({ context, query, url }, reply) => {
    const { assets, position } = await listAssets(context, query)
    const page = presentPage(position, addressOf(url))
    if (query.with_products !== true) return { data: assets.map(presentAsset), ...page }
    return inSlices(reply, assetTexts(sliceProducts(context, assets)), aroundList(page))
  })

  route(app, options, endpoints.readAsset, async ({ context, params, query }, reply) => {
    const asset = await getAsset(context, params.id)
    if (query.with_products === true) return answerWithProducts(reply, context, asset)
    return { data: presentAsset(asset) }
  })

  route(app, options, endpoints.listProductsOfAsset, async ({ context, params, query, url }) => {
    const { id } = await getAsset(context, params.id)
    const { products, position } = await listProducts(context, { ...query, ofAsset: id })
    return { data: products.map(presentProduct), ...presentPage(position, addressOf(url)) }
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
    return { data: presentAsset(await storeLink(context, body)) }
  })

  route(app, options, endpoints.changeAsset, async ({ context, params, body }) => {
    return { data: presentAsset(await changeAsset(context, params.id, body)) }
  })

  route(app, options, endpoints.deleteAsset, async ({ context, params }) => {
    await deleteAsset(context, params.id)
    return { deleted: true }
  })

  route(app, options, endpoints.attachProducts, async ({ context, params, body }, reply) => {
    const asset = await attachProducts(context, params.id, body)
    return answerWithProducts(reply, context, asset)
  })

  route(app, options, endpoints.detachProducts, async ({ context, params, body }, reply) => {
    const asset = await detachProducts(context, params.id, body)
    return answerWithProducts(reply, context, asset)
  })
}
