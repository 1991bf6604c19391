export { common } from './en/common.ts'
export { shell } from './en/shell.ts'
export { trash } from './en/trash.ts'
