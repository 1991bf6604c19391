import type { Filters } from './filters.ts'
import type { Model, ModelUpload } from './model.ts'
import { detailsOf, productOf, skuOf, VARIANTS } from './shop.ts'

/** The IDs of the assets that match, by a scan of all of them. */
export function matchingAssets(model: Model, query: Filters): string[] {
  const files = model.uploads.filter(({ status }) => status === 'ready')
  const all = [
    ...files.map((upload) => ({ ...upload, type: 'file' })),
    ...model.links.map((link) => ({ ...link, type: 'link', path: null, variants: [] })),
  ]
  const { search = '', filename = '', path = '', type, attached, sku, product_id } = query
  const folder = path.replace(/\/?$/, '/')
  return all
    .filter(
      (asset) =>
        hasWords([asset.name, asset.path ?? '', textsOf(model, asset.variants)], search) &&
        folded(asset.name).includes(folded(filename)) &&
        (path === '' || `${asset.path ?? ''}/`.startsWith(folder)) &&
        (type === undefined || asset.type === type) &&
        (attached === undefined || asset.variants.length > 0 === attached) &&
        (sku === undefined || asset.variants.some((variant) => skuOf(variant) === sku)) &&
        (product_id === undefined ||
          asset.variants.some((variant) => productOf(variant) === product_id)),
    )
    .map(({ id }) => id)
}

/** The stored variants that match, by a scan of all of them. */
export function matchingVariants(model: Model, search = ''): number[] {
  return storedVariants(model).filter((variant) => hasWords([textsOf(model, [variant])], search))
}

export function storedVariants({ products }: Model): number[] {
  return VARIANTS.filter((variant) => variant in products)
}

/** The ready assets that are attached to one of the variants. */
export function attachedTo({ uploads }: Model, variants: number[]): ModelUpload[] {
  return uploads.filter(
    (upload) =>
      upload.status === 'ready' && upload.variants.some((variant) => variants.includes(variant)),
  )
}

function textsOf({ vendors }: Model, variants: number[]): string {
  return variants
    .map((variant) => {
      const { name, variant_name, sku } = detailsOf(variant)
      return [name, variant_name, sku, vendors[variant]].join(' ')
    })
    .join(' ')
}

function hasWords(texts: string[], search: string): boolean {
  const text = folded(texts.join(' '))
  return folded(search)
    .split(' ')
    .every((word) => text.includes(word))
}

/** Folds case as far as the texts of this test need it. The service folds any script. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss')
}
