export type { ProductDetails } from '@stowage/protocol'
export {
  batchProducts,
  type ComparedField,
  type ComparedProduct,
  compareProducts,
  type FieldChange,
  type LocatedProduct,
  type ProductsFile,
  type ProductsFileProblem,
  parseProductsFile,
} from './products-file.ts'
