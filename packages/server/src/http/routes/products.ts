import { endpoints } from '@stowage/protocol'
import { listAssets } from '../../operations/assets/list-assets.ts'
import { deleteProduct, getProduct } from '../../operations/products/get-product.ts'
import { listProducts } from '../../operations/products/list-products.ts'
import { putProducts } from '../../operations/products/put-products.ts'
import { sliceAssets, withNewestAssets } from '../../operations/products/read-assets-of-products.ts'
import { presentAsset, presentPage, presentProduct, presentProductWithAssets } from '../present.ts'
import { aroundList, productTexts } from '../present-json-chunks.ts'
import { route } from '../route.ts'
import { inSlices } from '../send-json-stream.ts'
import type { RouteGroup } from './route-group.ts'

export const productRoutes: RouteGroup = (app, options) => {
  const addressOf = (url: string) => ({ base: options.baseUrl(), url })

  route(app, options, endpoints.putProducts, async ({ context, body }) => {
    const products = await putProducts(context, body.products)
    return { data: products.map(presentProduct) }
  })

  route(app, options, endpoints.listProducts, async ({ context, query, url }, reply) => {
    const { products, position } = await listProducts(context, query)
    const page = presentPage(position, addressOf(url))
    if (query.with_assets !== true) return { data: products.map(presentProduct), ...page }
    return inSlices(reply, productTexts(sliceAssets(context, products)), aroundList(page))
  })

  route(app, options, endpoints.readProduct, async ({ context, params, query }) => {
    const product = await getProduct(context, params.id)
    if (query.with_assets !== true) return { data: presentProduct(product) }
    return { data: presentProductWithAssets(await withNewestAssets(context, product)) }
  })

  route(app, options, endpoints.listAssetsOfProduct, async ({ context, params, query, url }) => {
    const { id } = await getProduct(context, params.id)
    const { assets, position } = await listAssets(context, { ...query, ofProduct: id })
    return { data: assets.map(presentAsset), ...presentPage(position, addressOf(url)) }
  })

  route(app, options, endpoints.deleteProduct, async ({ context, params }) => {
    await deleteProduct(context, params.id)
    return { deleted: true }
  })
}
