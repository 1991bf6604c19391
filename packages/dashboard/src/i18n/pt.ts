export { common } from './pt/common.ts'
export { shell } from './pt/shell.ts'
export { trash } from './pt/trash.ts'
