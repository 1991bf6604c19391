export { common } from './en/common.ts'
export { session } from './en/session.ts'
export { shell } from './en/shell.ts'
export { trash } from './en/trash.ts'
