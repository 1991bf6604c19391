import { type BulkRequest, endpoints, type Asset as WireAsset } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { FastifyReply } from 'fastify'
import type { Asset } from '../../domain/asset.ts'
import { invalid } from '../../errors.ts'
import { attachAssets, detachAssets } from '../../operations/assets/attach-assets.ts'
import { attachProducts } from '../../operations/assets/attach-products.ts'
import { changeAsset } from '../../operations/assets/change-asset.ts'
import { deleteAsset } from '../../operations/assets/delete-asset.ts'
import { deleteAssets } from '../../operations/assets/delete-assets.ts'
import { detachProducts } from '../../operations/assets/detach-products.ts'
import { getAsset } from '../../operations/assets/get-asset.ts'
import { listAssets } from '../../operations/assets/list-assets.ts'
import { readProductsOfAssets } from '../../operations/assets/read-products-of-assets.ts'
import { signDownload } from '../../operations/assets/sign-download.ts'
import { storeLink } from '../../operations/assets/store-link.ts'
import type { AccountContext } from '../../operations/context.ts'
import { listProductGroups } from '../../operations/products/list-product-groups.ts'
import { listProducts } from '../../operations/products/list-products.ts'
import { type ListedTrash, listTrash } from '../../operations/trash/list-trash.ts'
import { restoreAssets } from '../../operations/trash/restore-assets.ts'
import { readAssetListRequest } from '../requests/read-asset-list-request.ts'
import {
  readProductGroupListRequest,
  readProductListRequest,
} from '../requests/read-product-list-request.ts'
import { readProductSelection } from '../requests/read-product-selection.ts'
import { readTrashListRequest } from '../requests/read-trash-list-request.ts'
import { presentAsset } from '../responses/present-asset.ts'
import {
  AROUND_ONE,
  aroundList,
  assetChunks,
  groupChunks,
} from '../responses/present-json-chunks.ts'
import { presentPage } from '../responses/present-page.ts'
import { presentProduct } from '../responses/present-product.ts'
import { sendJsonStream } from '../responses/send-json-stream.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const assetRoutes: RouteGroup = (app, options) => {
  const pageUrl = (url: string) => ({ base: options.baseUrl(), url })

  function sendWithProducts(reply: FastifyReply, context: AccountContext, asset: Asset) {
    return sendJsonStream(reply, assetChunks(readProductsOfAssets(context, [asset])), AROUND_ONE)
  }

  route(app, options, endpoints.listAssets, async ({ context, query, url }, reply) => {
    if (query.trashed === true) {
      const { assets, position } = await listTrash(context, readTrashListRequest(query))
      // An asset in the trash is detached from its products.
      const detached = query.with_products === true ? { products: [] } : {}
      const data = assets.map((asset) => ({ ...presentTrashedAsset(asset), ...detached }))
      return { data, ...presentPage(position, pageUrl(url)) }
    }
    const { assets, position } = await listAssets(context, readAssetListRequest(query))
    const page = presentPage(position, pageUrl(url))
    if (query.with_products !== true) return { data: assets.map(presentAsset), ...page }
    return sendJsonStream(
      reply,
      assetChunks(readProductsOfAssets(context, assets)),
      aroundList(page),
    )
  })

  route(app, options, endpoints.readAsset, async ({ context, params, query }, reply) => {
    const asset = await getAsset(context, params.id)
    if (query.with_products === true) return sendWithProducts(reply, context, asset)
    return { data: presentAsset(asset) }
  })

  route(app, options, endpoints.listProductsOfAsset, async ({ context, params, query, url }) => {
    const { id } = await getAsset(context, params.id)
    const request = { ...readProductListRequest(query), ofAsset: id }
    const { products, position } = await listProducts(context, request)
    return { data: products.map(presentProduct), ...presentPage(position, pageUrl(url)) }
  })

  route(
    app,
    options,
    endpoints.listProductGroupsOfAsset,
    async ({ context, params, query, url }, reply) => {
      const { id } = await getAsset(context, params.id)
      const request = { ...readProductGroupListRequest(query), ofAsset: id }
      const { groups, position } = await listProductGroups(context, request)
      const page = presentPage(position, pageUrl(url))
      return sendJsonStream(reply, groupChunks(groups), aroundList(page))
    },
  )

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

  route(app, options, endpoints.deleteAsset, async ({ context, params, query }) => {
    await deleteAsset(context, params.id, { isPermanent: query.permanent })
    return { deleted: true }
  })

  route(app, options, endpoints.attachProducts, async ({ context, params, body }, reply) => {
    const asset = await attachProducts(context, params.id, readProductSelection(body))
    return sendWithProducts(reply, context, asset)
  })

  route(app, options, endpoints.detachProducts, async ({ context, params, body }, reply) => {
    const asset = await detachProducts(context, params.id, readProductSelection(body))
    return sendWithProducts(reply, context, asset)
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

/** The status is the one that the asset had before its deletion. */
function presentTrashedAsset(asset: ListedTrash): WireAsset {
  return {
    ...presentAsset({ ...asset, status: 'ready' }),
    deleted_at: formatTimestamp(asset.trashedAt),
    removed_after: formatTimestamp(asset.removedAfter),
  }
}
