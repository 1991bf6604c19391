import { fileURLToPath } from 'node:url'

/** For files that are slow to create and can be created again. */
export const CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/stowage', import.meta.url),
)
