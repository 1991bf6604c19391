import { endpoints } from '@stowage/protocol'
import { createUploadToken } from '../../operations/upload-tokens/create-upload-token.ts'
import { readUploadTokenRequest } from '../requests/read-upload-token-request.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const uploadTokenRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.createUploadToken, async ({ context, caller, body }, reply) => {
    const created = await createUploadToken(context, caller, readUploadTokenRequest(body))
    reply.header('Cache-Control', 'no-store')
    const { id, token, expiresAt } = created
    return { id, token, expires_at: expiresAt.toISOString() }
  })
}
