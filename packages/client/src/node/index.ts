import { type ClientOptions, type Client as CommonClient, createClientOn } from '../client.ts'
import {
  type BlobInput,
  type Collect,
  checkInput,
  isStream,
  openInput,
  type StreamInput,
} from '../upload/input.ts'
import type { SourceOptions } from '../upload/source.ts'
import { adviceForFailure } from './advice-for-failure.ts'
import { collectFile } from './collect-file.ts'
import { createDownloadTo, type Downloaded, type DownloadToOptions } from './download-to.ts'
import { openFile } from './file-source.ts'
import { openFileStore } from './file-store.ts'
import { openAgents } from './put-range.ts'

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
    store: options.store ?? openFileStore(options.stateFolder),
    check: (input) => void (pathOf(input) ?? checkInput(input)),
    open(input, wishes) {
      const path = pathOf(input)
      if (path !== undefined) return openFile(path, { ...wishes, agents })
      const collect: Collect = (stream, options) => collectFile(stream, { ...options, agents })
      return openInput(input as BlobInput | StreamInput, withLength(input, wishes), collect)
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

/** A request or response of `node:http` has its length in its headers. */
function withLength(input: unknown, wishes: SourceOptions): SourceOptions {
  const { headers } = input as { headers?: Record<string, string | undefined> }
  const length = headers?.['content-encoding'] ? undefined : headers?.['content-length']
  return length === undefined ? wishes : { ...wishes, size: wishes.size ?? Number(length) }
}
