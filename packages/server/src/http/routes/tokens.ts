import { DEFAULT_TOKEN_SECONDS, endpoints, type UploadTokenRequest } from '@stowage/protocol'
import { parseDuration } from '@stowage/protocol/format'
import { invalid } from '../../domain/errors.ts'
import type { UploadTokenLimits } from '../../domain/upload-token.ts'
import { parseOrigin } from '../../domain/urls.ts'
import { createUploadToken } from '../../operations/tokens.ts'
import { readProductSelection } from '../requests.ts'
import { type RouteGroup, route } from '../route.ts'

export const tokenRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.createUploadToken, async ({ context, caller, body }, reply) => {
    const created = await createUploadToken(context, caller, readUploadTokenRequest(body))
    reply.header('Cache-Control', 'no-store')
    const { id, token, expiresAt } = created
    return { id, token, expires_at: expiresAt.toISOString() }
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
