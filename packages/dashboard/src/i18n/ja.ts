export { common } from './ja/common.ts'
export { shell } from './ja/shell.ts'
export { trash } from './ja/trash.ts'
