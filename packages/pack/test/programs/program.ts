import { readFile } from 'node:fs/promises'
import { createClient, type Downloaded, type NodeClient } from '@stowage/client/node'

const stowage: NodeClient = createClient({ baseUrl: 'https://files.example', stateFolder: '.' })

export async function copy(path: string): Promise<Downloaded> {
  const fromPath = await stowage.upload(path, { signal: AbortSignal.timeout(1000) })
  await stowage.upload(await readFile(path), { name: 'again' })
  return stowage.downloadTo(fromPath.id, '.')
}

// @ts-expect-error a key has a scope
stowage.createKey({ name: 'shop' })
