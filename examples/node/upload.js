import { createClient } from '@stowage/client/node'

// node upload.js FILE. If it is interrupted, the next run sends only the missing parts.
const { STOWAGE_URL: baseUrl = 'http://127.0.0.1:4000', STOWAGE_API_KEY: apiKey } = process.env
const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('Usage: node upload.js FILE')

const asset = await createClient({ baseUrl, apiKey }).upload(path, {
  onProgress: ({ bytes, total }) => process.stderr.write(`\r${bytes} of ${total} bytes`),
})
process.stderr.write('\n')
console.log(asset.id)
