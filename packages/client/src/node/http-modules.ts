import { createRequire } from 'node:module'

/**
 * `import 'node:http'` reads all exports of the module, and some of them load fetch. That takes longer
 * than loading the rest of the client. Node 20.16 and later have `getBuiltinModule`.
 */
const load = process.getBuiltinModule ?? createRequire(import.meta.url)

export const http: typeof import('node:http') = load('node:http')
export const https: typeof import('node:https') = load('node:https')
