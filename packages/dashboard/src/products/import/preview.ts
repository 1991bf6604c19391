import type { ComparedProduct, ProductsFileProblem } from '@stowage/client/products-file'

export interface Preview {
  fileName: string
  format: 'csv' | 'json'
  compared: ComparedProduct[]
  problems: ProductsFileProblem[]
  ignoredColumns: string[]
}

/** The products that the import would add or change. */
export function changesOf({ compared }: Preview): ComparedProduct[] {
  return compared.filter(({ outcome }) => outcome !== 'unchanged')
}
