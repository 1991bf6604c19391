/* The parts of the list of assets that are loaded when they are needed, as one script. */
export { ChooseProduct } from './choose-product.tsx'
export { SelectionBar } from './selection-bar.tsx'
export { UploadToProducts } from './upload-to-products.tsx'
