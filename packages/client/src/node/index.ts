import { type ClientOptions, type Client as CommonClient, createClientOn } from '../client.ts'
import { type BlobInput, openBlob } from '../upload/blob-source.ts'
import { adviceForFailure } from './advice-for-failure.ts'
import { createDownloadTo, type Downloaded, type DownloadToOptions } from './download-to.ts'
import { openFile } from './file-source.ts'
import { openFileStore } from './file-store.ts'
import { openAgents } from './put-range.ts'

export * from '../index.ts'
export type { Downloaded, DownloadToOptions } from './download-to.ts'

/** A path, or bytes in memory. */
export type NodeInput = string | { path: string } | BlobInput

export interface NodeClientOptions extends ClientOptions {
  /** Where unfinished uploads are remembered. Left out: `stowage/uploads` in the user's state folder. */
  stateFolder?: string | undefined
}

export interface NodeClient extends CommonClient<NodeInput> {
  /**
   * Saves the file. What an earlier call left in the middle is gone on with. A folder as the path
   * means the asset's own name in it.
   */
  downloadTo(id: string, path: string, options?: DownloadToOptions): Promise<Downloaded>
}

/**
 * The client for Node: it also takes paths, and reads and writes files in pieces. Throws a TypeError
 * without a `baseUrl`: there is no page here whose own host it could be.
 */
export function createClient(options: NodeClientOptions): NodeClient {
  if (!options?.baseUrl?.startsWith?.('http')) {
    throw new TypeError(
      `Invalid baseUrl “${options?.baseUrl ?? ''}”. Pass the URL of the service: createClient({ baseUrl: 'https://files.example' })`,
    )
  }
  const agents = openAgents()
  const client = createClientOn<NodeInput>(options, {
    moreOptions: 'stateFolder',
    adviceFor: adviceForFailure,
    store: options.store ?? openFileStore(options.stateFolder),
    open(input, wishes) {
      const file = input as NodeInput
      if (typeof file === 'string') return openFile(file, { ...wishes, agents })
      return 'path' in file ? openFile(file.path, { ...wishes, agents }) : openBlob(file, wishes)
    },
  })
  return { ...client, downloadTo: createDownloadTo(client, options) }
}
