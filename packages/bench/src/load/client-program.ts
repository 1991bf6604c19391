import { createClient } from '@stowage/client/node'

/*
 * The Node client in its own process. Each message is a list of paths to upload; the response is the IDs of the assets
 * or an error.
 */
const [baseUrl = '', stateFolder = '', concurrency] = process.argv.slice(2)
const parallel = concurrency === undefined ? undefined : Number(concurrency)
const client = createClient({ baseUrl, stateFolder, parallel })

process.on('message', async (paths: string[]) => {
  try {
    const assets = await Promise.all(paths.map((path) => client.upload(path)))
    process.send?.({ ids: assets.map(({ id }) => id) })
  } catch (error) {
    process.send?.({ error: `${error}` })
  }
})
