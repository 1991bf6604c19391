import { type Command, detailsOf, type Filters, productOf, skuOf, VARIANTS } from './commands.ts'
import {
  allowIf,
  bytesIn,
  findUpload,
  isVisible,
  type Model,
  type ModelUpload,
  readyUploads,
  receivedBytes,
} from './model.ts'
import type { Observation } from './observation.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>
type Group = NonNullable<Observation['groups']>[number]

/** The rules for calls that list assets, products or uploads, or read the account. */
export const LIST_RULES = {
  list(model: Model, { kind, ...filters }: Call<'list'>, seen: Observation) {
    return allowIf(isSame(seen.listed, matchingAssets(model, filters)), model)
  },

  tags(model: Model, _: Call<'tags'>, seen: Observation) {
    return allowIf(JSON.stringify(seen.tags) === JSON.stringify(tagsOf(model)), model)
  },

  products(model: Model, { search }: Call<'products'>, seen: Observation) {
    return allowIf(isSame(seen.variants, matchingVariants(model, search)), model)
  },

  groups(
    model: Model,
    { search }: Call<'groups'>,
    seen: Observation,
    { isAlone }: { isAlone: boolean },
  ) {
    if (seen.status !== 200) return undefined
    // The products are found first, and their variants and assets are read in other statements.
    if (!isAlone) return model
    const found = new Set(matchingVariants(model, search).map(productOf))
    const expected = groupsOf(storedVariants(model))
      .filter(({ product }) => found.has(product))
      .map((group) => ({
        ...group,
        total: group.variants.length,
        count: attachedTo(model, group.variants).length,
      }))
    return allowIf(JSON.stringify(seen.groups) === JSON.stringify(expected), model)
  },

  assetGroups(
    model: Model,
    _: Call<'assetGroups'>,
    seen: Observation,
    { isAlone }: { isAlone: boolean },
  ) {
    const asset = findUpload(model, seen.id ?? '')
    if (asset === undefined || !isVisible(asset)) return allowIf(seen.status === 404, model)
    if (seen.status !== 200) return allowIf(!isAlone && seen.status === 404, model)
    if (!isAlone) return model
    const expected = groupsOf(asset.variants).map((group) => ({
      ...group,
      total: storedVariants(model).filter((one) => productOf(one) === group.product).length,
      count: group.variants.length,
    }))
    return allowIf(JSON.stringify(seen.groups) === JSON.stringify(expected), model)
  },

  uploads(
    model: Model,
    _: Call<'uploads'>,
    { unfinished = [] }: Observation,
    { isAlone }: { isAlone: boolean },
  ) {
    const uploading = model.uploads.filter(({ status }) => status === 'uploading')
    const sizes = (list: { id: string; bytes: number }[]) =>
      list.map(({ id, bytes }) => `${id} ${bytes}`)
    const expected = uploading.map(({ id, size }) => ({ id, bytes: size }))
    if (!isSame(sizes(unfinished), sizes(expected))) return undefined
    // The service lists the parts after the uploads, so other calls may change the parts in between.
    const areReceived = uploading.every(
      (upload) => unfinished.find(({ id }) => id === upload.id)?.received === receivedBytes(upload),
    )
    return allowIf(!isAlone || areReceived, model)
  },

  account(model: Model, _: Call<'account'>, seen: Observation) {
    const { stored, reserved, trash, assets, limit, maxAssets } = seen.account ?? {}
    const matches =
      stored === bytesIn(model, 'ready') &&
      reserved === bytesIn(model, 'uploading') &&
      trash === bytesIn(model, 'trashed') &&
      assets === readyUploads(model).length + model.links.length &&
      limit === model.plan &&
      maxAssets === model.maxAssets
    return allowIf(matches, model)
  },
}

/** By product, the highest ID first, as the API lists them. */
function groupsOf(variants: number[]): Pick<Group, 'product' | 'variants'>[] {
  return [...Map.groupBy(variants, productOf)]
    .map(([product, some]) => ({ product, variants: some.toSorted() }))
    .sort((a, b) => b.product - a.product)
}

export function isSame(left: (string | number)[] | undefined, right: (string | number)[]): boolean {
  return JSON.stringify(left?.toSorted()) === JSON.stringify(right.toSorted())
}

/** The IDs of the assets that match, by a scan of all of them. */
export function matchingAssets(model: Model, query: Filters): string[] {
  const files = model.uploads.filter(({ status }) => status === 'ready')
  const all = [
    ...files.map((upload) => ({ ...upload, type: 'file' })),
    ...model.links.map((link) => ({ ...link, type: 'link', path: null, tags: [], variants: [] })),
  ]
  const { search = '', filename = '', path = '', type, attached, sku, product_id, tag } = query
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
        (tag === undefined || asset.tags?.some((one) => folded(one) === folded(tag))) &&
        (product_id === undefined ||
          asset.variants.some((variant) => productOf(variant) === product_id)),
    )
    .map(({ id }) => id)
}

/** The tags of the ready assets by name, as the oldest asset spells them, each with its number of assets. */
function tagsOf(model: Model): [string, number][] {
  const oldestFirst = readyUploads(model).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const all = oldestFirst.flatMap(({ tags = [] }) => tags)
  const groups = [...Map.groupBy(all, folded)].sort(([a], [b]) => (a < b ? -1 : 1))
  return groups.map(([, spellings]) => [spellings[0] ?? '', spellings.length])
}

/** The stored variants that match, by a scan of all of them. */
function matchingVariants(model: Model, search = ''): number[] {
  return storedVariants(model).filter((variant) => hasWords([textsOf(model, [variant])], search))
}

export function storedVariants({ products }: Model): number[] {
  return VARIANTS.filter((variant) => variant in products)
}

/** The ready assets that are attached to one of the variants. */
function attachedTo({ uploads }: Model, variants: number[]): ModelUpload[] {
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
