import type {
  Asset,
  AssetPage,
  Key,
  Product,
  ProductPage,
  ProductWithAssets,
} from '@stowage/protocol'
import type { Account, Client, NewKey } from './client.ts'
import { isStowageError } from './errors.ts'
import { createListing } from './listing.ts'
import type { Request } from './request.ts'
import { cancelSession, readSession } from './upload/session.ts'

/** Every call that is one request. */
export function createCalls(request: Request): Omit<Client, 'upload' | 'unfinished'> {
  async function data<Data>(...call: Parameters<Request['json']>): Promise<Data> {
    const answer = await request.json<{ data: Data }>(...call)
    return answer.data
  }

  /** Its answer may have got lost once it was carried out: then it is gone, as wanted. */
  async function remove(path: string, signal: AbortSignal | undefined): Promise<void> {
    let isAgain = false
    const onRetry = () => {
      isAgain = true
    }
    try {
      await request.json(path, { method: 'DELETE', signal, onRetry })
    } catch (error) {
      if (!isAgain || !isStowageError(error, 'not_found')) throw error
    }
  }

  return {
    async cancelUpload(id, { signal } = {}) {
      await cancelSession(request, await readSession(request, id, { signal }), { signal })
    },
    assets: (query = {}) => createListing<Asset, AssetPage>(request, '/assets', query),
    asset: (id, { signal, ...query } = {}) => data<Asset>(`/assets/${id}`, { query, signal }),
    store: (body, { signal } = {}) =>
      data<Asset>('/assets/store', { method: 'POST', body, signal }),
    change: (id, body, { signal } = {}) =>
      data<Asset>(`/assets/${id}`, { method: 'PUT', body, signal }),
    delete: (id, { signal } = {}) => remove(`/assets/${id}`, signal),
    attach: (id, body, { signal } = {}) =>
      data<Asset>(`/assets/${id}/attach`, { method: 'POST', body, signal, repeatable: true }),
    detach: (id, body, { signal } = {}) =>
      data<Asset>(`/assets/${id}/detach`, { method: 'POST', body, signal, repeatable: true }),
    download(id, { range, signal } = {}) {
      const last = range?.end === undefined ? '' : range.end - 1
      const headers = range && { Range: `bytes=${range.start}-${last}` }
      return request.response(`/assets/${id}/download`, { headers, signal })
    },
    products: (query = {}) =>
      createListing<ProductWithAssets, ProductPage>(request, '/products', query),
    product: (id, { signal, ...query } = {}) =>
      data<ProductWithAssets>(`/products/${id}`, { query, signal }),
    putProducts: (products, { signal } = {}) =>
      data<Product[]>('/products', { method: 'PUT', body: { products }, signal }),
    deleteProduct: (id, { signal } = {}) => remove(`/products/${id}`, signal),
    account: ({ signal } = {}) => data<Account>('/account', { signal }),
    keys: ({ signal } = {}) => data<Key[]>('/keys', { signal }),
    createKey: (body, { signal } = {}) => data<NewKey>('/keys', { method: 'POST', body, signal }),
    async revokeKey(id, { signal } = {}) {
      await request.json(`/keys/${id}`, { method: 'DELETE', signal })
    },
  }
}
