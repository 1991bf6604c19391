export { common } from './fr/common.ts'
export { shell } from './fr/shell.ts'
export { trash } from './fr/trash.ts'
