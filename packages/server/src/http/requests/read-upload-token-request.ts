import { DEFAULT_TOKEN_SECONDS, type UploadTokenRequest } from '@stowage/protocol'
import { parseDuration } from '@stowage/protocol/format'
import { parseOrigin } from '../../domain/origin.ts'
import type { UploadTokenLimits } from '../../domain/upload-token.ts'
import { invalid } from '../../errors.ts'
import { readProductSelection } from './read-product-selection.ts'

/** The schema has checked the format of every field. */
export function readUploadTokenRequest(
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
