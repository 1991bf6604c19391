import type {
  Asset,
  AssetPage,
  Key,
  Product,
  ProductPage,
  ProductWithAssets,
} from '@stowage/protocol'
import type { Account, CallSettings, Client, NewKey, Usage } from './client.ts'
import { isStowageError } from './errors.ts'
import { createListing } from './listing.ts'
import type { Call, Request } from './request.ts'

/** Every call that is one request. */
export function createCalls(
  request: Request,
): Omit<Client, 'upload' | 'unfinished' | 'cancelUpload'> {
  const { data } = request

  /** Its answer may have got lost once it was carried out: then it is gone, as wanted. */
  async function remove(path: string, settings: CallSettings = {}): Promise<void> {
    let isAgain = false
    const onRetry = () => {
      isAgain = true
    }
    try {
      await request.json(path, { ...settings, method: 'DELETE', onRetry })
    } catch (error) {
      if (!isAgain || !isStowageError(error, 'not_found')) throw error
    }
  }

  const sendWith =
    (method: string) =>
    <Data>(path: string, body: unknown, settings: Call = {}) =>
      data<Data>(path, { ...settings, method, body })
  const post = sendWith('POST')
  const put = sendWith('PUT')

  return {
    assets: (query) => createListing<Asset, AssetPage>(request, '/assets', query),
    asset: (id, { signal, ...query } = {}) => data<Asset>(`/assets/${id}`, { query, signal }),
    store: (link, settings) => post<Asset>('/assets/store', link, { ...settings, isOnce: true }),
    change: (id, changes, settings) => put<Asset>(`/assets/${id}`, changes, settings),
    delete: (id, settings) => remove(`/assets/${id}`, settings),
    attach: (id, products, settings) => post<Asset>(`/assets/${id}/attach`, products, settings),
    detach: (id, products, settings) => post<Asset>(`/assets/${id}/detach`, products, settings),
    download(id, { range, signal } = {}) {
      const last = range?.end ? range.end - 1 : ''
      const headers = range && { Range: `bytes=${range.start}-${last}` }
      return request.response(`/assets/${id}/download`, { headers, signal })
    },
    address: (id, settings) => data(`/assets/${id}/address`, settings),
    products: (query) => createListing<ProductWithAssets, ProductPage>(request, '/products', query),
    product: (id, { signal, ...query } = {}) =>
      data<ProductWithAssets>(`/products/${id}`, { query, signal }),
    putProducts: (products, settings) => put<Product[]>('/products', { products }, settings),
    deleteProduct: (id, settings) => remove(`/products/${id}`, settings),
    account: (settings) => data<Account>('/account', settings),
    usage: (settings) => data<Usage>('/account/usage', settings),
    keys: (settings) => data<Key[]>('/keys', settings),
    createKey: (key, settings) => post<NewKey>('/keys', key, { ...settings, isOnce: true }),
    revokeKey: (id, settings) => remove(`/keys/${id}`, settings),
  }
}
