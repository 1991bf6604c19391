import type { Call } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import type { ClientState } from './client-state.ts'
import { TOKEN_BYTES, TOKEN_FILES } from './commands.ts'
import { productOf } from './shop.ts'

/** The product that the upload token attaches files to, if it exists when the token is created. */
const PRODUCT = productOf(1)

/** Returns the headers of calls with the upload token of the clients, which is created when it is first used. */
export function openToken(call: Call, state: ClientState): () => Promise<Record<string, string>> {
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

  return async () => {
    creating ??= create()
    await creating
    return { Authorization: `Bearer ${state.token?.secret}` }
  }
}
