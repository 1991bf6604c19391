export { common } from './es/common.ts'
export { shell } from './es/shell.ts'
export { trash } from './es/trash.ts'
