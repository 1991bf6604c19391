import { fileURLToPath } from 'node:url'

/** What is costly to make and can be made again. */
export const CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/stowage', import.meta.url),
)
