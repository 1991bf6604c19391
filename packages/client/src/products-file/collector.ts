import type { ProductFields } from './file-product.ts'

/** Receives the products of a file and the problems with it. */
export interface Collector {
  add(line: number, fields: Partial<ProductFields>): void
  refuse(line: number, message: string): void
  /** The column that each field is read from, as the header names it. */
  nameColumns(titles: Partial<Record<keyof ProductFields, string>>): void
  /** Columns that are not imported, as the header names them. */
  ignoreColumns(names: string[]): void
}
