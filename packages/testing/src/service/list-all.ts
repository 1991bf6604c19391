import type { Asset, AssetPage } from '@stowage/protocol'
import { callJson } from './service.ts'
import { API } from './upload.ts'

/** Returns all assets that match the query, from all pages. */
export async function listAll(baseUrl: string, query = ''): Promise<Asset[]> {
  const assets: Asset[] = []
  let next: string | null = `${baseUrl}${API}/assets?limit=200${query}`
  while (next !== null) {
    const page: AssetPage = (await callJson(next, { method: 'GET' })).body
    assets.push(...page.data)
    next = page.links.next
  }
  return assets
}
