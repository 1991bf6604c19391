import type { ComparedProduct, ProductsFileProblem } from '@stowage/client/products-file'

export interface Preview {
  fileName: string
  format: 'csv' | 'json'
  compared: ComparedProduct[]
  problems: ProductsFileProblem[]
  ignoredColumns: string[]
}

/** Leaves out products that are already as in the file. */
export function changesOf({ compared }: Preview): ComparedProduct[] {
  return compared.filter(({ outcome }) => outcome !== 'unchanged')
}
