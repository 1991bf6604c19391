import { createClient, isStowageError } from '@stowage/client/node'

/* Uploads a file, lists it and downloads it again: round-trip.js URL FILE COPY STATE */
const [baseUrl, file, copy, stateFolder] = process.argv.slice(2)
const stowage = createClient({ baseUrl, stateFolder })
const asset = await stowage.upload(file)
const names = []
for await (const { filename } of stowage.assets()) names.push(filename)
await stowage.downloadTo(asset.id, copy)
await stowage.delete(asset.id)
const code = await stowage
  .asset(asset.id)
  .catch((error) => isStowageError(error, 'not_found') && error.code)
process.stdout.write(JSON.stringify({ node: process.versions.node, names, code }))
