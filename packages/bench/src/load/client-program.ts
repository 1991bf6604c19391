import { createClient } from '@stowage/client/node'

/*
 * The Node client in its own process. Each message is a path to upload; the response is the asset's ID
 * or an error.
 */
const [baseUrl = '', stateFolder = '', concurrency = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, stateFolder, parallel: Number(concurrency) })

process.on('message', async (path: string) => {
  try {
    process.send?.({ id: (await client.upload(path)).id })
  } catch (error) {
    process.send?.({ error: `${error}` })
  }
})
