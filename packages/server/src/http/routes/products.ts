import { endpoints } from '@stowage/protocol'
import { deleteProduct, getProduct } from '../../operations/get-product.ts'
import { listProducts } from '../../operations/list-products.ts'
import { putProducts } from '../../operations/put-products.ts'
import { presentPage, presentProduct, presentProductWithAssets } from '../present.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const productRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.putProducts, async ({ context, body }) => {
    const products = await putProducts(context, body.products)
    return { data: products.map(presentProduct) }
  })

  route(app, options, endpoints.listProducts, async ({ context, query, url }) => {
    const { products, position } = await listProducts(context, query)
    const address = { base: options.baseUrl(), url }
    return { data: products.map(presentProductWithAssets), ...presentPage(position, address) }
  })

  route(app, options, endpoints.readProduct, async ({ context, params, query }) => {
    const withAssets = query.with_assets ?? false
    const product = await getProduct(context, params.id, { withAssets })
    return { data: presentProductWithAssets(product) }
  })

  route(app, options, endpoints.deleteProduct, async ({ context, params }) => {
    await deleteProduct(context, params.id)
    return { deleted: true }
  })
}
