import type { ProductDetails } from '@stowage/client'
import type { Page } from 'playwright-core'

export const HOSTILE = '<img src=x onerror=alert(1)>'
export const RIGHT_TO_LEFT = 'حزمة عينات صوتية'
export const LONG = 'w'.repeat(255)

export function aProduct(details: Partial<ProductDetails> = {}): ProductDetails {
  return { product_id: 1, variant_id: 1, name: 'Sample pack', ...details }
}

export function manyProducts(count: number): ProductDetails[] {
  return Array.from({ length: count }, (_, index) =>
    aProduct({ product_id: index + 1, name: `Product ${index + 1}` }),
  )
}

/** Records and dismisses browser dialogs, which hostile names try to open. */
export function recordDialogs(page: Page): string[] {
  const shown: string[] = []
  page.on('dialog', (dialog) => {
    shown.push(dialog.message())
    void dialog.dismiss()
  })
  return shown
}

export function csvFile(text: string, name = 'products.csv') {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
}
