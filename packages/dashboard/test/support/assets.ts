import assert from 'node:assert/strict'
import type { Asset, Product } from '@stowage/client'
import type { NodeClient } from '@stowage/client/node'
import type { Page } from 'playwright-core'
import { until } from './dashboard.ts'

export interface FileToStore {
  name: string
  mime?: string
  content?: string
}

/** Uploads small files one after the other, so that their order is known. */
export async function storeFiles(client: NodeClient, files: FileToStore[]): Promise<Asset[]> {
  const assets: Asset[] = []
  for (const { name, mime = 'text/plain', content = name } of files) {
    assets.push(await client.upload(new Blob([content]), { name, mime }))
  }
  return assets
}

/** Creates a product of one variant for each name. */
export function storeProducts(client: NodeClient, names: string[]): Promise<Product[]> {
  return client.putProducts(
    names.map((name, index) => ({
      product_id: index + 1,
      variant_id: index + 1,
      name,
      sku: `SKU-${index + 1}`,
    })),
  )
}

/** The names in the table, in the order of its rows. */
export function rowNames(page: Page): Promise<string[]> {
  return page.locator('tbody tr bdi a, tbody tr a bdi').allTextContents()
}

/** Waits until the table has exactly these rows. */
export async function untilRows(page: Page, names: string[]): Promise<void> {
  let rows: string[] = []
  await until('the table has these rows', async () => {
    rows = await rowNames(page)
    return rows.join() === names.join()
  }).catch(() => assert.deepEqual(rows, names))
}
