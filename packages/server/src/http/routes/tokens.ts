import type * as wire from '@stowage/protocol'
import { DEFAULT_TOKEN_SECONDS, endpoints, type UploadTokenRequest } from '@stowage/protocol'
import { formatTimestamp, parseDuration } from '@stowage/protocol/format'
import { invalid } from '../../domain/errors.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { UploadToken, UploadTokenLimits } from '../../domain/upload-token.ts'
import { parseOrigin } from '../../domain/urls.ts'
import {
  createUploadToken,
  getUploadToken,
  listUploadTokens,
  revokeUploadToken,
} from '../../operations/tokens.ts'
import { readIdempotency, readPageRequest, readProductSelection } from '../requests.ts'
import { presentPage } from '../responses/page.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const tokenRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.createUploadToken, async (request, reply) => {
    const { context, caller, body } = request
    const limits = readUploadTokenRequest(body)
    const idempotency = readIdempotency(endpoints.createUploadToken, request)
    const { token, secret, isRepeated } = await createUploadToken(
      context,
      caller,
      limits,
      idempotency,
    )
    nameCreated(reply, options, { path: `/upload-tokens/${token.id}`, isRepeated })
    reply.header('Cache-Control', 'no-store')
    return { ...presentUploadToken(token), token: secret }
  })

  route(app, options, endpoints.listUploadTokens, async ({ context, query, url }) => {
    const page = readPageRequest(query, 'created_at')
    const { tokens, position } = await listUploadTokens(context, page)
    const list = { base: options.baseUrl(), url, query: endpoints.listUploadTokens.query }
    return { data: tokens.map(presentUploadToken), ...presentPage(position, list) }
  })

  route(app, options, endpoints.readUploadToken, async ({ context, params }) => {
    return { data: presentUploadToken(await getUploadToken(context, params.id)) }
  })

  route(app, options, endpoints.revokeUploadToken, async ({ context, params }) => {
    await revokeUploadToken(context, params.id)
    return { revoked: true }
  })
}

/** The schema has checked the format of every field. */
function readUploadTokenRequest(
  body: UploadTokenRequest,
): UploadTokenLimits & { lifetimeMs: number } {
  const { attach, expires_in: lifetime = DEFAULT_TOKEN_SECONDS } = body
  if (attach !== undefined && Object.values(attach).every((values) => values.length === 0)) {
    throw invalid({ attach: ['must name at least one product'] })
  }
  return {
    maxBytes: body.max_bytes,
    maxFiles: body.max_files ?? 1,
    mediaTypes: body.mime ?? null,
    origin: body.origin === undefined ? null : (parseOrigin(body.origin) ?? null),
    attach: attach === undefined ? null : readProductSelection(attach),
    replaces: body.replace?.toLowerCase() ?? null,
    lifetimeMs: typeof lifetime === 'number' ? lifetime * 1000 : (parseDuration(lifetime) ?? 0),
  }
}

/** Without its secret. */
function presentUploadToken(token: UploadToken): wire.UploadToken {
  const { attach, createdAt, expiresAt, revokedAt } = token
  return {
    id: token.id,
    max_bytes: token.maxBytes,
    max_files: token.maxFiles,
    mime: token.mediaTypes,
    origin: token.origin,
    attach: attach && presentProductSelection(attach),
    replace: token.replaces,
    created_by: token.createdBy,
    created_at: formatTimestamp(createdAt),
    expires_at: formatTimestamp(expiresAt),
    revoked_at: revokedAt && formatTimestamp(revokedAt),
  }
}

/** Lists that select nothing are left out, as in a request. */
function presentProductSelection(selection: ProductSelection): wire.ProductReferences {
  const { productIds, variantIds, ids, skus } = selection
  const lists = { product_ids: productIds, variant_ids: variantIds, products: ids, skus }
  return Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0))
}
