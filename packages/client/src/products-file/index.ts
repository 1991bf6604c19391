export type { ProductDetails } from '@stowage/protocol'
export { batchProducts } from './batch-products.ts'
export {
  type ComparedField,
  type ComparedProduct,
  compareProducts,
  type FieldChange,
} from './compare-products.ts'
export {
  type LocatedProduct,
  type ProductsFile,
  type ProductsFileProblem,
  parseProductsFile,
} from './parse-products-file.ts'
