import type { Call } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import type { ClientState, Session } from './client-state.ts'
import { TOKEN_BYTES, TOKEN_FILES } from './commands.ts'
import { productOf } from './shop.ts'

/** The product that the upload token attaches files to, if it exists when the token is created. */
const PRODUCT = productOf(1)

/**
 * Returns a function that returns the headers for the calls of a session. The upload token that all clients share is
 * created when it is first used.
 */
export function openToken(
  call: Call,
  state: ClientState,
): (session: Pick<Session, 'byToken' | 'ownToken'>) => Promise<Record<string, string>> {
  let creating: Promise<void> | undefined

  async function create(): Promise<void> {
    if (state.token !== undefined) return
    for (const attaches of [PRODUCT, undefined]) {
      const attach = attaches !== undefined && { attach: { product_ids: [attaches] } }
      const limits = { max_bytes: TOKEN_BYTES, max_files: TOKEN_FILES, ...attach }
      const { status, body } = await call('POST', `${API}/upload-tokens`, limits)
      if (status !== 201) continue
      state.token = { secret: body.token, ...(attaches !== undefined && { attaches }) }
      return
    }
  }

  return async ({ byToken, ownToken }) => {
    if (ownToken !== undefined) return { Authorization: `Bearer ${ownToken}` }
    if (!byToken) return {}
    creating ??= create()
    await creating
    return { Authorization: `Bearer ${state.token?.secret}` }
  }
}

/** Requests a token to replace this asset, with limits that no test reaches. Returns the token or the refusal. */
export async function requestReplaceToken(
  call: Call,
  assetId: string,
): Promise<{ ownToken: string } | { status: number; code: string }> {
  const limits = { max_bytes: 1_000_000, max_files: 1000, replace: assetId }
  const { status, body } = await call('POST', `${API}/upload-tokens`, limits)
  return status === 201 ? { ownToken: body.token } : { status, code: body.code }
}
