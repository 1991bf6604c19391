/* The parts of the list of assets that are loaded when they are needed, as one script. */
export { ChooseProduct, UploadToProducts } from './product-dialogs.tsx'
export { SelectionBar } from './selection-bar.tsx'
