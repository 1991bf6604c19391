import type * as wire from '@stowage/protocol'
import { endpoints } from '@stowage/protocol'
import { readProductsOfAssets } from '../../operations/assets.ts'
import {
  arrangeFiles,
  deleteProduct,
  getProduct,
  listAssetsOfProduct,
  listProductGroups,
  listProducts,
  type ProductDetails,
  putProducts,
  readAssetsOfProducts,
  withNewestAssets,
} from '../../operations/products.ts'
import { presentAsset, presentProduct } from '../../wire/resources.ts'
import {
  readAssetListRequest,
  readProductGroupListRequest,
  readProductListRequest,
} from '../requests.ts'
import {
  aroundList,
  assetChunks,
  groupChunks,
  plainProductChunks,
  presentProductWithAssets,
  productChunks,
  sendJsonStream,
} from '../responses/json.ts'
import { presentPage } from '../responses/page.ts'
import { type RouteGroup, route } from '../route.ts'

export const productRoutes: RouteGroup = (app, options) => {
  const requestOf = (url: string, { query }: { query: { properties: object } }) => ({
    base: options.baseUrl(),
    url,
    query,
  })

  route(app, options, endpoints.putProducts, async ({ context, body }) => {
    const products = await putProducts(context, body.products.map(readProductDetails))
    return { data: products.map(presentProduct) }
  })

  route(app, options, endpoints.listProducts, async ({ context, query, url }, reply) => {
    const { products, position } = await listProducts(context, readProductListRequest(query))
    const page = presentPage(position, requestOf(url, endpoints.listProducts))
    const chunks =
      query.with_assets === true
        ? productChunks(readAssetsOfProducts(context, products))
        : plainProductChunks(products)
    return sendJsonStream(reply, chunks, aroundList(page))
  })

  route(app, options, endpoints.listProductGroups, async ({ context, query, url }, reply) => {
    const request = readProductGroupListRequest(query)
    const { groups, position } = await listProductGroups(context, request)
    const page = presentPage(position, requestOf(url, endpoints.listProductGroups))
    return sendJsonStream(reply, groupChunks(groups), aroundList(page))
  })

  route(app, options, endpoints.readProduct, async ({ context, params, query }) => {
    const product = await getProduct(context, params.id)
    if (query.with_assets !== true) return { data: presentProduct(product) }
    return { data: presentProductWithAssets(await withNewestAssets(context, product)) }
  })

  route(
    app,
    options,
    endpoints.listAssetsOfProduct,
    async ({ context, params, query, url }, reply) => {
      const product = await getProduct(context, params.id)
      const { after, ...request } = readAssetListRequest({ ...query, sort: 'created_at' })
      const { page, perPage } = request
      const wanted = { page, perPage, after, allVariants: query.all_variants }
      const { assets, position } = await listAssetsOfProduct(context, product, wanted)
      const around = presentPage(position, requestOf(url, endpoints.listAssetsOfProduct))
      if (query.with_products !== true) return { data: assets.map(presentAsset), ...around }
      const chunks = assetChunks(readProductsOfAssets(context, assets))
      return sendJsonStream(reply, chunks, aroundList(around))
    },
  )

  route(app, options, endpoints.arrangeFiles, async ({ context, params, body }) => {
    const ids = body.assets.map((id) => id.toLowerCase())
    await arrangeFiles(context, await getProduct(context, params.id), ids)
    return { data: { assets: ids } }
  })

  route(app, options, endpoints.deleteProduct, async ({ context, params }) => {
    await deleteProduct(context, params.id)
    return { deleted: true }
  })
}

export function readProductDetails(product: wire.ProductDetails): ProductDetails {
  const { product_id, variant_id, handle, match_by, name, variant_name, sku, vendor, tags } =
    product
  return {
    ...(product_id !== undefined && { productId: product_id }),
    ...(variant_id !== undefined && { variantId: variant_id }),
    ...(handle !== undefined && { handle }),
    ...(match_by !== undefined && { matchBy: match_by }),
    name,
    ...(variant_name !== undefined && { variantName: variant_name }),
    ...(sku !== undefined && { sku }),
    ...(vendor !== undefined && { vendor }),
    ...(tags !== undefined && { tags }),
  }
}
