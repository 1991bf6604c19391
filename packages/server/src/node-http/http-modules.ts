/**
 * `import 'node:http'` reads all exports of the module, and some of them load fetch, which the service does
 * not use. That takes a tenth of the startup time.
 */
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
