import {
  type ClientOptions,
  type Client as CommonClient,
  createClientOn,
} from '../create-client.ts'
import {
  type BlobInput,
  checkInput,
  isStream,
  openInput,
  type StreamInput,
} from '../upload/input.ts'
import type { SourceOptions } from '../upload/source.ts'
import { adviceForFailure } from './advice-for-failure.ts'
import { createDownloadTo, type Downloaded, type DownloadToOptions } from './download-to.ts'
import { createExchange } from './exchange.ts'
import { openFile } from './file-source.ts'
import { openFileStore } from './file-store.ts'
import { mimeOf } from './mime.ts'
import { openAgents, putBytes } from './put-range.ts'

export * from '../index.ts'
export type { Downloaded, DownloadToOptions } from './download-to.ts'

/** A path, bytes in memory, a stream (also of `node:stream`) or a response. */
export type NodeInput = string | { path: string } | BlobInput | StreamInput

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
    // Only fetch knows about proxies.
    exchange: process.env.NODE_USE_ENV_PROXY ? undefined : createExchange(agents),
    store: options.store ?? openFileStore(options.stateFolder),
    check: (input) => void (pathOf(input) ?? checkInput(input)),
    open(input, wishes) {
      const path = pathOf(input)
      if (path !== undefined) return openFile(path, { ...wishes, agents })
      return openInput(input as BlobInput | StreamInput, {
        ...withFacts(input, wishes),
        putBytes: (url, bytes, options) => putBytes(url, bytes, { ...options, agents }),
      })
    },
  })
  return { ...client, downloadTo: createDownloadTo(client, options) }
}

/** A stream of a file has a path too, but it may be of a part of the file only. */
function pathOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  const { path } = (input ?? {}) as { path?: unknown }
  return typeof path === 'string' && !isStream(input) ? path : undefined
}

/** A request or response of `node:http` has its length in its headers; a name tells the type of a stream. */
function withFacts(input: unknown, wishes: SourceOptions): SourceOptions {
  if (!isStream(input)) return wishes
  const { headers } = input as { headers?: Record<string, string | undefined> }
  const length = headers?.['content-encoding'] ? undefined : headers?.['content-length']
  const { name, mime = name && mimeOf(name), size = length ? Number(length) : undefined } = wishes
  return { ...wishes, mime, size }
}
