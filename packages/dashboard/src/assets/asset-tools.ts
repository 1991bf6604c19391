/* The parts of the list of assets that are loaded when they are needed, as one script. */
export { FolderBar } from './folder-bar.tsx'
export { FolderDialog, FolderPanel } from './folder-tree.tsx'
export { ChooseProduct, UploadToProducts } from './product-dialogs.tsx'
export { RenameForm } from './rename-form.tsx'
export { SelectionBar } from './selection-bar.tsx'
export { SuggestionList } from './suggestion-list.tsx'
export { ChooseTag } from './tag-dialogs.tsx'
