import { endpoints, type Asset as WireAsset } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { FastifyReply } from 'fastify'
import type { Asset } from '../../domain/asset.ts'
import {
  attachAssets,
  attachProducts,
  changeAsset,
  detachAssets,
  detachProducts,
  getAsset,
  listAssets,
  readProductsOfAssets,
  storeLink,
} from '../../operations/assets.ts'
import type { RequestedChange } from '../../operations/bulk.ts'
import type { AccountContext } from '../../operations/context.ts'
import { signDownload } from '../../operations/downloads.ts'
import { moveAssets } from '../../operations/folders.ts'
import { listProductGroups, listProducts } from '../../operations/products.ts'
import { listTags, tagAssets, untagAssets } from '../../operations/tags.ts'
import {
  deleteAsset,
  deleteAssets,
  type ListedTrash,
  listTrash,
  restoreAssets,
} from '../../operations/trash.ts'
import { presentAsset, presentProduct } from '../../wire/resources.ts'
import {
  readAssetListRequest,
  readBulkChange,
  readIdempotency,
  readProductGroupListRequest,
  readProductListRequest,
  readProductSelection,
  readTagListRequest,
  readTrashListRequest,
} from '../requests.ts'
import {
  AROUND_ONE,
  aroundList,
  assetChunks,
  groupChunks,
  sendJsonStream,
} from '../responses/json.ts'
import { presentPage } from '../responses/page.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const assetRoutes: RouteGroup = (app, options) => {
  const requestOf = (url: string, { query }: { query: { properties: object } }) => ({
    base: options.baseUrl(),
    url,
    query,
  })

  function sendWithProducts(reply: FastifyReply, context: AccountContext, asset: Asset) {
    return sendJsonStream(reply, assetChunks(readProductsOfAssets(context, [asset])), AROUND_ONE)
  }

  route(app, options, endpoints.listAssets, async ({ context, query, url }, reply) => {
    if (query.trashed === true) {
      const { assets, position } = await listTrash(context, readTrashListRequest(query))
      // An asset in the trash is detached from its products.
      const detached = query.with_products === true ? { products: [] } : {}
      const data = assets.map((asset) => ({ ...presentTrashedAsset(asset), ...detached }))
      return { data, ...presentPage(position, requestOf(url, endpoints.listAssets)) }
    }
    const { assets, position } = await listAssets(context, readAssetListRequest(query))
    const page = presentPage(position, requestOf(url, endpoints.listAssets))
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
    return {
      data: products.map(presentProduct),
      ...presentPage(position, requestOf(url, endpoints.listProductsOfAsset)),
    }
  })

  route(
    app,
    options,
    endpoints.listProductGroupsOfAsset,
    async ({ context, params, query, url }, reply) => {
      const { id } = await getAsset(context, params.id)
      const request = { ...readProductGroupListRequest(query), ofAsset: id }
      const { groups, position } = await listProductGroups(context, request)
      const page = presentPage(position, requestOf(url, endpoints.listProductGroupsOfAsset))
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

  route(app, options, endpoints.storeLink, async (request, reply) => {
    const idempotency = readIdempotency(endpoints.storeLink, request)
    const { asset, isRepeated } = await storeLink(request.context, request.body, idempotency)
    nameCreated(reply, options, { path: `/assets/${asset.id}`, isRepeated })
    return { data: presentAsset(asset) }
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
    nameCreated(reply, options, { path: `/assets/${asset.id}/products` })
    return sendWithProducts(reply, context, asset)
  })

  route(app, options, endpoints.detachProducts, async ({ context, params, body }, reply) => {
    const asset = await detachProducts(context, params.id, readProductSelection(body))
    return sendWithProducts(reply, context, asset)
  })

  route(app, options, endpoints.changeAssets, async ({ context, body }) => {
    const change = readBulkChange(body)
    const ids = [...new Set(body.ids.map((id) => id.toLowerCase()))]
    const changed = await changeAssets(context, ids, change)
    return { data: { action: body.action, assets: ids.length, ...(changed && { changed }) } }
  })

  route(app, options, endpoints.listTags, async ({ context, query, url }) => {
    const { tags, position } = await listTags(context, readTagListRequest(query))
    return {
      data: tags.map(({ name, assets }) => ({ name, assets })),
      ...presentPage(position, requestOf(url, endpoints.listTags)),
    }
  })
}

/** Returns the IDs of the assets whose tags have changed, for an action that changes tags. */
async function changeAssets(
  context: AccountContext,
  ids: string[],
  change: RequestedChange,
): Promise<string[] | undefined> {
  if ('tags' in change) {
    const changeTags = change.action === 'tag' ? tagAssets : untagAssets
    return changeTags(context, ids, change.tags)
  }
  if (change.action === 'delete') await deleteAssets(context, ids, change)
  else if (change.action === 'restore') await restoreAssets(context, ids)
  else if (change.action === 'move') await moveAssets(context, ids, change.path)
  else {
    const changeAttachments = change.action === 'attach' ? attachAssets : detachAssets
    await changeAttachments(context, ids, change.products)
  }
  return undefined
}

/** The status is the one that the asset had before its deletion. */
function presentTrashedAsset(asset: ListedTrash): WireAsset {
  return {
    ...presentAsset({ ...asset, status: 'ready' }),
    deleted_at: formatTimestamp(asset.trashedAt),
    removed_after: formatTimestamp(asset.removedAfter),
  }
}
