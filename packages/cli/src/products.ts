import {
  type CallSettings,
  isStowageError,
  type NodeClient,
  type Product,
  type ProductGroup,
  type ProductReferences,
} from '@stowage/client/node'
import { UUID } from './assets.ts'
import { writeMessage } from './output.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed } from './usage.ts'

interface FoundProducts {
  references: Required<Pick<ProductReferences, 'product_ids' | 'variant_ids' | 'products'>>
  /** The same products, as the shop knows them. Without a variant, all variants are meant. */
  lines: { product_id: number; variant_id?: number }[]
}

type Kind = 'sku' | 'product' | 'variant' | 'id'

const KINDS: Record<Kind, string> = {
  sku: 'a SKU',
  product: 'the ID of a product',
  variant: 'the ID of a variant',
  id: 'the ID of a product in Stowage',
}

/**
 * Finds products by a SKU (all variants with it), the shop's ID of a product (all of its variants) or of a
 * variant, or the ID that a product has in Stowage; otherwise by words of its name, variant name, SKU or
 * vendor, if they match one product only. Throws one `CommandFailed` that lists all unknown
 * and ambiguous values.
 */
export async function getProducts(
  client: NodeClient,
  wanted: string[],
  settings: CallSettings = {},
): Promise<FoundProducts> {
  const found: FoundProducts = {
    references: { product_ids: [], variant_ids: [], products: [] },
    lines: [],
  }
  const problems: string[] = []
  for (const word of new Set(wanted)) {
    const { kind, value } = kindOf(word)
    const kinds = kind === undefined ? possibleKinds(value) : [kind]
    const lists = await Promise.all(kinds.map((one) => findBy({ client, settings }, one, value)))
    const hits = kinds.flatMap((one, index) => {
      const products = lists[index] ?? []
      return products.length > 0 ? [{ kind: one, products }] : []
    })
    const [hit, other] = hits
    if (hit === undefined) {
      const searched =
        kind === undefined
          ? await searchProducts({ client, settings }, value)
          : ({ outcome: 'nothing' } as const)
      if (searched.outcome === 'found') {
        refer(found, searched)
        writeMessage(`${sanitize(word)}: ${searched.label}`)
      } else if (searched.outcome === 'ambiguous') problems.push(searched.problem)
      else problems.push(`There is no product ${sanitize(word)}.`)
    } else if (other !== undefined && !isSame(hit.products, other.products)) {
      const meanings = hits.map((one) => `${one.kind}:${sanitize(value)} for ${KINDS[one.kind]}`)
      problems.push(`${sanitize(word)} is ambiguous. Pass ${meanings.join(' or ')}.`)
    } else {
      const { kind, products } = hit
      const productId = kind === 'product' ? Number(value) : undefined
      refer(found, { products, productId })
    }
  }
  if (problems.length > 0) {
    throw new CommandFailed(
      `${problems.join(' ')} Run stowage products ls to list the products, or stowage products import to add more.`,
    )
  }
  return found
}

/** `Sample pack, WAV (PACK-WAV)`. */
export function productLabel({ name, variant_name, sku }: Product): string {
  const title = variant_name === '' ? name : `${name}, ${variant_name}`
  return sanitize(sku === '' ? title : `${title} (${sku})`)
}

/** A prefix `sku:`, `product:`, `variant:` or `id:` states the kind. */
function kindOf(word: string): { kind: Kind | undefined; value: string } {
  const match = /^(sku|product|variant|id):(.+)$/s.exec(word)
  return { kind: match?.[1] as Kind | undefined, value: match?.[2] ?? word }
}

function possibleKinds(value: string): Kind[] {
  if (UUID.test(value)) return ['sku', 'id']
  const isNumber = /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))
  return isNumber ? ['sku', 'product', 'variant'] : ['sku']
}

async function findBy(
  { client, settings }: { client: NodeClient; settings: CallSettings },
  kind: Kind,
  value: string,
): Promise<Product[]> {
  if (kind === 'id') {
    try {
      return UUID.test(value) ? [await client.product(value, settings)] : []
    } catch (error) {
      if (isStowageError(error, 'not_found')) return []
      throw error
    }
  }
  if (kind === 'sku') return Array.fromAsync(client.products({ sku: value, ...settings }))
  const id = Number(value)
  if (!Number.isSafeInteger(id)) return []
  const query = kind === 'product' ? { product_id: id } : { variant_id: id }
  return Array.fromAsync(client.products({ ...query, ...settings }))
}

function isSame(some: Product[], others: Product[]): boolean {
  const ids = (products: Product[]) =>
    products
      .map(({ id }) => id)
      .toSorted()
      .join()
  return ids(some) === ids(others)
}

/** Adds all variants of the product with this ID, or only these ones. */
function refer(
  { references, lines }: FoundProducts,
  { products, productId }: { products: Product[]; productId: number | undefined },
): void {
  if (productId !== undefined) {
    references.product_ids.push(productId)
    lines.push({ product_id: productId })
    return
  }
  references.products.push(...products.map(({ id }) => id))
  lines.push(...products.map(({ product_id, variant_id }) => ({ product_id, variant_id })))
}

/** How many products an error message names. */
const MAX_NAMES = 5

type SearchOutcome =
  | { outcome: 'found'; products: Product[]; productId: number | undefined; label: string }
  | { outcome: 'ambiguous'; problem: string }
  | { outcome: 'nothing' }

/**
 * Finds the variants that have all words in their name, variant name, SKU or vendor. They must belong to one
 * product.
 */
async function searchProducts(
  { client, settings }: { client: NodeClient; settings: CallSettings },
  words: string,
): Promise<SearchOutcome> {
  if (words.trim() === '') return { outcome: 'nothing' }
  const query = { search: words, ...settings }
  const { data, meta } = await client.productGroups({ ...query, limit: MAX_NAMES }).page()
  const [product] = data
  if (product === undefined) return { outcome: 'nothing' }
  if (meta.total > 1) {
    const names = data.map(({ name }) => `“${sanitize(name)}”`).join(', ')
    const more = meta.total > data.length ? ` and ${meta.total - data.length} more` : ''
    const problem = `${sanitize(words)} matches ${meta.total} products: ${names}${more}. Pass more words, a SKU or an ID.`
    return { outcome: 'ambiguous', problem }
  }
  const variants: Product[] = await Array.fromAsync(client.products(query))
  const isAll = variants.length === product.variants_total
  return {
    outcome: 'found',
    products: variants,
    productId: isAll ? product.product_id : undefined,
    label: labelOf(product, variants),
  }
}

/** `Sample pack (all 3 variants)`. */
function labelOf({ name, variants_total }: ProductGroup, variants: Product[]): string {
  const [first] = variants
  if (variants_total === 1) return sanitize(name)
  if (variants.length === variants_total)
    return sanitize(`${name} (all ${variants_total} variants)`)
  if (variants.length === 1) return sanitize(`${name}, ${first?.variant_name}`)
  return sanitize(`${name} (${variants.length} of ${variants_total} variants)`)
}
