export { common } from './de/common.ts'
export { shell } from './de/shell.ts'
export { trash } from './de/trash.ts'
