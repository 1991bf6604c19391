import { endpoints } from '@stowage/protocol'
import { listAssets } from '../../operations/assets/list-assets.ts'
import { deleteProduct } from '../../operations/products/delete-product.ts'
import { getProduct } from '../../operations/products/get-product.ts'
import { listProductGroups } from '../../operations/products/list-product-groups.ts'
import { listProducts } from '../../operations/products/list-products.ts'
import { putProducts } from '../../operations/products/put-products.ts'
import { readAssetsOfProducts } from '../../operations/products/read-assets-of-products.ts'
import { withNewestAssets } from '../../operations/products/with-newest-assets.ts'
import { readAssetListRequest } from '../requests/read-asset-list-request.ts'
import { readProductDetails } from '../requests/read-product-details.ts'
import {
  readProductGroupListRequest,
  readProductListRequest,
} from '../requests/read-product-list-request.ts'
import { presentAsset } from '../responses/present-asset.ts'
import { aroundList, groupChunks, productChunks } from '../responses/present-json-chunks.ts'
import { presentPage } from '../responses/present-page.ts'
import { presentProduct } from '../responses/present-product.ts'
import { presentProductWithAssets } from '../responses/present-product-with-assets.ts'
import { sendJsonStream } from '../responses/send-json-stream.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const productRoutes: RouteGroup = (app, options) => {
  const pageUrl = (url: string) => ({ base: options.baseUrl(), url })

  route(app, options, endpoints.putProducts, async ({ context, body }) => {
    const products = await putProducts(context, body.products.map(readProductDetails))
    return { data: products.map(presentProduct) }
  })

  route(app, options, endpoints.listProducts, async ({ context, query, url }, reply) => {
    const { products, position } = await listProducts(context, readProductListRequest(query))
    const page = presentPage(position, pageUrl(url))
    if (query.with_assets !== true) return { data: products.map(presentProduct), ...page }
    return sendJsonStream(
      reply,
      productChunks(readAssetsOfProducts(context, products)),
      aroundList(page),
    )
  })

  route(app, options, endpoints.listProductGroups, async ({ context, query, url }, reply) => {
    const request = readProductGroupListRequest(query)
    const { groups, position } = await listProductGroups(context, request)
    const page = presentPage(position, pageUrl(url))
    return sendJsonStream(reply, groupChunks(groups), aroundList(page))
  })

  route(app, options, endpoints.readProduct, async ({ context, params, query }) => {
    const product = await getProduct(context, params.id)
    if (query.with_assets !== true) return { data: presentProduct(product) }
    return { data: presentProductWithAssets(await withNewestAssets(context, product)) }
  })

  route(app, options, endpoints.listAssetsOfProduct, async ({ context, params, query, url }) => {
    const { id } = await getProduct(context, params.id)
    const request = { ...readAssetListRequest(query), ofProduct: id }
    const { assets, position } = await listAssets(context, request)
    return { data: assets.map(presentAsset), ...presentPage(position, pageUrl(url)) }
  })

  route(app, options, endpoints.deleteProduct, async ({ context, params }) => {
    await deleteProduct(context, params.id)
    return { deleted: true }
  })
}
