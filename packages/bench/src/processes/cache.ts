import { fileURLToPath } from 'node:url'

/** The folder for files that are slow to create and can be created again. */
export const CACHE_FOLDER = fileURLToPath(
  new URL('../../../../node_modules/.cache/stowage', import.meta.url),
)
