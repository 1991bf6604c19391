import type { ProductQuery } from '../../database/account-data.ts'
import { foldText } from '../../domain/search-text.ts'
import { searchWords } from '../../domain/search-words.ts'

type TextFilter = 'search' | 'name' | 'sku' | 'vendor' | 'tag'

/** The filters of a list of products as the client sends them. An empty filter means no filter. */
export type TextFilters = Partial<Record<TextFilter, string | undefined>>

/** Separates the text filters of a request from its other members. Folds all but the SKU, which must match exactly. */
export function splitFilters<Request extends TextFilters>(request: Request) {
  const { search = '', name, sku, vendor, tag, ...rest } = request
  const words = searchWords(search)
  const filters: Pick<ProductQuery, 'words' | Exclude<TextFilter, 'search'>> = {
    ...(words.length > 0 && { words }),
    ...(name && { name: foldText(name) }),
    ...(sku && { sku }),
    ...(vendor && { vendor: foldText(vendor) }),
    ...(tag && { tag: foldText(tag) }),
  }
  return { rest, filters }
}
