import { createClient } from '@stowage/client/node'

/*
 * Our client in a process of its own. Each message is a path to upload; the answer is the asset's id,
 * or why there is none.
 */
const [baseUrl = '', stateFolder = '', atOnce = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, stateFolder, parallel: Number(atOnce) })

process.on('message', async (path: string) => {
  try {
    process.send?.({ id: (await client.upload(path)).id })
  } catch (error) {
    process.send?.({ error: `${error}` })
  }
})
