import { hash } from 'node:crypto'
import {
  FIRST_PROVISIONAL_ID,
  type GivenProduct,
  isProvisional,
  type NewProduct,
} from '../../domain/product.ts'

/** Who a stored product is. */
export interface Identity {
  id: string
  productId: number
  variantId: number
}

/** What is stored about a product that was given. */
export interface KnownProduct {
  /** The product with the given IDs. */
  sameIds?: Identity | undefined
  /** Up to two products with its SKU. If it has IDs, only those with provisional ones. */
  sameSku: Identity[]
  /** The product with its handle and its variant name. */
  sameHandle?: Identity | undefined
  /** The shop's ID of any product with its handle. */
  productOfHandle?: number | undefined
}

/** A question to the database. The IDs are provisional. */
export type IdentityQuestion =
  | { kind: 'known'; products: GivenProduct[] }
  | { kind: 'used'; productIds: number[]; variantIds: number[] }

export interface UsedIds {
  productIds: Set<number>
  variantIds: Set<number>
}

type Answer = KnownProduct[] | UsedIds

/** A stored product that gets these IDs, with its attachments and the lines of orders. */
export interface Adoption {
  stored: Identity
  productId: number
  variantId: number
}

export interface IdentifiedProducts {
  products: NewProduct[]
  adoptions: Adoption[]
}

/**
 * Finds out which stored products are meant, and assigns provisional IDs to new ones that have none. The SKU decides; without
 * it, or if it is not unique, the handle and the name of the variant. Each stored product is meant once.
 */
export function* identifyProducts(
  given: GivenProduct[],
): Generator<IdentityQuestion, IdentifiedProducts, Answer> {
  const known = (yield { kind: 'known', products: given }) as KnownProduct[]
  const meant = new Set<string>()
  const adoptions: Adoption[] = []
  const targets = given.map((product, index) => {
    const target = targetOf(product, known[index], meant)
    if (target !== undefined) meant.add(target.id)
    return target
  })
  const productIds = idsOfHandles(given, known, targets)
  const added = given.flatMap((product, index) =>
    hasIds(product) || targets[index] !== undefined ? [] : [product],
  )
  const assigned = yield* assignIds(added, productIds)
  const products = given.map((product, index): NewProduct => {
    const { id, matchBy: _, ...details } = product
    const target = targets[index]
    if (hasIds(product)) {
      const { productId, variantId } = product
      if (target) adoptions.push({ stored: target, productId, variantId })
      return { ...details, id, productId, variantId }
    }
    const { handle = '' } = product
    if (target === undefined) {
      const variantId = assigned.get(keyOf(product)) ?? 0
      return { ...details, id, productId: productIds.get(handle) ?? 0, variantId }
    }
    const { variantId } = target
    const shopId = productIds.get(handle) ?? target.productId
    // Another variant has told the shop's ID of the product.
    const isLearned = isProvisional(target.productId) && !isProvisional(shopId)
    const productId = isLearned ? shopId : target.productId
    if (isLearned) adoptions.push({ stored: target, productId, variantId })
    return { ...details, id, productId, variantId }
  })
  return { products, adoptions }
}

function hasIds<Given extends GivenProduct>(
  product: Given,
): product is Given & { productId: number; variantId: number } {
  return product.productId !== undefined && product.variantId !== undefined
}

/** The stored product that is meant. For a product with IDs, only one that adopts them. */
function targetOf(
  product: GivenProduct,
  known: KnownProduct | undefined,
  meant: Set<string>,
): Identity | undefined {
  if (known === undefined || known.sameIds !== undefined) return undefined
  const { sameSku, sameHandle } = known
  const isFree = (stored: Identity | undefined) => stored !== undefined && !meant.has(stored.id)
  const [first, second] = sameSku
  if (product.matchBy !== 'handle' && second === undefined && isFree(first)) return first
  if (!isFree(sameHandle) || sameHandle === undefined) return undefined
  if (!hasIds(product)) return sameHandle
  const { productId, variantId } = sameHandle
  const isSameProduct = isProvisional(productId) || productId === product.productId
  return isProvisional(variantId) && isSameProduct ? sameHandle : undefined
}

/** The product ID of each handle of products without IDs: the shop's own if it is known. */
function idsOfHandles(
  given: GivenProduct[],
  known: KnownProduct[],
  targets: (Identity | undefined)[],
): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [index, product] of given.entries()) {
    const { handle } = product
    if (hasIds(product) || handle === undefined) continue
    for (const id of [targets[index]?.productId, known[index]?.productOfHandle]) {
      const current = ids.get(handle)
      if (id !== undefined && (current === undefined || isProvisional(current))) {
        if (current === undefined || !isProvisional(id)) ids.set(handle, id)
      }
    }
  }
  return ids
}

/**
 * Derives IDs from the handle and the variant, so that a repeated or concurrent call assigns the same ones. If an ID is in
 * use, the next one is derived. Adds those of the products to `productIds`.
 */
function* assignIds(
  added: GivenProduct[],
  productIds: Map<string, number>,
): Generator<IdentityQuestion, Map<string, number>, Answer> {
  const variantIds = new Map<string, number>()
  const handles = new Set(
    added.map(({ handle = '' }) => handle).filter((one) => !productIds.has(one)),
  )
  const variants = new Set(added.map(keyOf))
  const taken = { product: new Set<number>(), variant: new Set<number>() }
  for (let attempt = 0; handles.size + variants.size > 0; attempt += 1) {
    const ofHandles = candidates('product', handles, { attempt, taken: taken.product })
    const ofVariants = candidates('variant', variants, { attempt, taken: taken.variant })
    const used = (yield {
      kind: 'used',
      productIds: [...ofHandles.keys()],
      variantIds: [...ofVariants.keys()],
    }) as UsedIds
    for (const [id, handle] of ofHandles) {
      if (used.productIds.has(id)) continue
      productIds.set(handle, id)
      handles.delete(handle)
      taken.product.add(id)
    }
    for (const [id, key] of ofVariants) {
      if (used.variantIds.has(id)) continue
      variantIds.set(key, id)
      variants.delete(key)
      taken.variant.add(id)
    }
  }
  return variantIds
}

function candidates(
  kind: string,
  keys: Set<string>,
  { attempt, taken }: { attempt: number; taken: Set<number> },
): Map<number, string> {
  const ids = new Map<number, string>()
  for (const key of keys) {
    const id = provisionalId(`${kind} ${attempt} ${key}`)
    if (!taken.has(id) && !ids.has(id)) ids.set(id, key)
  }
  return ids
}

function keyOf({ handle = '', variantName = '' }: GivenProduct): string {
  return JSON.stringify([handle, variantName])
}

/** 52 bits of a digest, above all IDs of shops. */
function provisionalId(text: string): number {
  const digest = hash('sha256', text, 'buffer')
  return FIRST_PROVISIONAL_ID + digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4)
}

/**
 * The handles to store, with the IDs of their rows. Variants whose names are not known have the same name: the first one is
 * found by it.
 */
export function handlesToStore(
  given: GivenProduct[],
  stored: { id: string; variantName: string }[],
): { id: string; handle: string; variant: string }[] {
  const seen = new Set<string>()
  return given.flatMap(({ handle }, index) => {
    const row = stored[index]
    if (handle === undefined || row === undefined) return []
    const key = JSON.stringify([handle, row.variantName])
    if (seen.has(key)) return []
    seen.add(key)
    return [{ id: row.id, handle, variant: row.variantName }]
  })
}
