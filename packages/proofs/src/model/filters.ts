import fc from 'fast-check'
import { skuOf, VARIANTS } from './shop.ts'

/** The filters of a list of assets, as the query names them. */
export interface Filters {
  search?: string | undefined
  filename?: string | undefined
  path?: string | undefined
  type?: 'file' | 'link' | undefined
  attached?: boolean | undefined
  sku?: string | undefined
  product_id?: number | undefined
}

/** Words of file names, of folders, and of every text of a product, and some that occur in none of them. */
export const SEARCHES = [
  ...['pack', 'LOOPS dusty', 'drum wav', 'mp3', 'sku-3', 'press', 'kit sounds', 'bin', 'zip 2'],
  ...['STRASSE', 'straße pdf', 'a/b', 'ab pack', 'pack drum', 'missing'],
]

export const FILE_NAMES = ['a 2.zip', 'Drum.zip', 'Straße.pdf']
export const PATHS = ['a', 'a/b', 'ab', 'Drums']
export const VENDORS = ['', 'Press', 'Sounds']

const often = <Value>(...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 })
/** Rare, because a list with several filters is often empty. */
const rarely = <Value>(...values: Value[]) =>
  fc
    .tuple(fc.nat({ max: 4 }), fc.constantFrom(...values))
    .map(([choice, value]) => (choice === 0 ? value : undefined))

export const filters: fc.Arbitrary<Filters> = fc.record({
  search: often(...SEARCHES),
  filename: rarely('zip', 'A', 'strass'),
  path: rarely('a', 'a/b/', 'Drums', 'drums'),
  type: rarely<'file' | 'link'>('file', 'link'),
  attached: rarely(true, false),
  sku: rarely(...VARIANTS.map(skuOf)),
  product_id: rarely(1, 2, 3),
})

export function queryOf(query: Filters): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams([
    ['limit', '1000'],
    ...set.map(([name, value]) => [name, String(value)]),
  ]).toString()
}
