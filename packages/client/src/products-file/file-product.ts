import type { ProductDetails } from '@stowage/protocol'

/** The fields of a product in a file, before validation: undefined if missing, '' or null if empty. */
export interface ProductFields {
  product_id?: unknown
  variant_id?: unknown
  handle?: unknown
  name: unknown
  variant_name?: unknown
  sku?: unknown
  vendor?: unknown
  tags?: unknown
}

const MAX_TAGS = 250
const MAX_TEXT_LENGTH = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/
/** A number, or an ID as Shopify's GraphQL API writes it. */
const SHOP_ID = /^(?:gid:\/\/shopify\/\w+\/)?(\d+)$/
const ROUNDED = /^\d+([.,]\d+)?e\+?\d+$/i

/** Longer values are truncated in problems. */
const MAX_SHOWN_LENGTH = 100

export interface Problem {
  field: keyof ProductFields
  value: string
  message: string
}

/** Returns the product as `putProducts` takes it, or everything that the service would refuse. */
export function readProduct(
  fields: ProductFields,
): { product: ProductDetails } | { problems: Problem[] } {
  const problems: Problem[] = []
  const refuse = (field: Problem['field'], message: string, value: unknown = fields[field]) =>
    problems.push({ field, value: shownValue(value), message })

  // A file without IDs has handles instead.
  const isIdentified =
    isGiven(fields.product_id) || isGiven(fields.variant_id) || !isGiven(fields.handle)
  const product: ProductDetails = {
    ...(isIdentified && { product_id: readId('product_id'), variant_id: readId('variant_id') }),
    ...(isGiven(fields.handle) && { handle: readText('handle', fields.handle) }),
    name: readText('name', fields.name),
  }
  if (product.name.trim() === '') refuse('name', 'must not be empty')
  for (const field of ['variant_name', 'sku', 'vendor'] as const) {
    if (fields[field] !== undefined) product[field] = readText(field, fields[field])
  }
  if (fields.tags !== undefined) product.tags = readTags(fields.tags ?? [])
  return problems.length > 0 ? { problems } : { product }

  function readId(field: 'product_id' | 'variant_id'): number {
    const text = String(fields[field] ?? '').trim()
    const id = Number(SHOP_ID.exec(text)?.[1] ?? Number.NaN)
    if (Number.isSafeInteger(id)) return id
    if (text === '') refuse(field, 'is missing')
    else if (ROUNDED.test(text)) {
      refuse(field, 'was rounded by a spreadsheet. Format the column as text')
    } else refuse(field, `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`)
    return 0
  }

  function readText(field: Problem['field'], value: unknown): string {
    const text = typeof value === 'number' ? String(value) : (value ?? '')
    if (typeof text !== 'string') refuse(field, 'must be a string', value)
    else {
      const problem = problemWithText(text)
      if (problem !== undefined) refuse(field, problem, text)
      return text
    }
    return ''
  }

  function readTags(value: unknown): string[] {
    const list = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(list)) {
      refuse('tags', 'must be an array of strings')
      return []
    }
    const texts = list.map((tag) => readText('tags', tag).trim())
    const tags = [...new Set(texts)].filter((tag) => tag !== '')
    if (tags.length > MAX_TAGS) refuse('tags', `must have at most ${MAX_TAGS} tags`)
    return tags
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}

function problemWithText(text: string): string | undefined {
  // Code points are counted only if the text may be too long: counting all of them is slow.
  if (text.length > MAX_TEXT_LENGTH && [...text].length > MAX_TEXT_LENGTH) {
    return `must have at most ${MAX_TEXT_LENGTH} characters`
  }
  if (CONTROL_CHARACTERS.test(text)) return 'must not have line breaks or other control characters'
  return text.isWellFormed() ? undefined : 'must be valid Unicode, without lone surrogates'
}
