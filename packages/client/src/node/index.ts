import type { ArchiveRequest } from '@stowage/protocol'
import type { Client } from '../client.ts'
import { CLIENT_OPTIONS, createClientOn } from '../create-client.ts'
import type { ClientOptions } from '../options.ts'
import { checkOptions } from '../request.ts'
import {
  type BlobInput,
  checkInput,
  isStream,
  isUrl,
  openInput,
  type StreamInput,
} from '../upload/input.ts'
import type { SourceOptions } from '../upload/source.ts'
import type { UploadOptions } from '../upload/types.ts'
import { createDownloadTo, type Downloaded, type DownloadToOptions } from './download-to.ts'
import { createDownloadZip, type DownloadedZip, type DownloadZipOptions } from './download-zip.ts'
import { type FileSource, openFile } from './file-source.ts'
import { openFileStore } from './file-store.ts'
import { adviceForFailure, createExchange, openAgents, putBytes } from './http.ts'

export * from '../index.ts'
export type { Downloaded, DownloadToOptions } from './download-to.ts'
export type { DownloadedZip, DownloadZipOptions } from './download-zip.ts'

/** A path, a File or Blob, bytes in memory, a stream (including those of `node:stream`) or a Response. */
export type NodeInput = string | { path: string } | BlobInput | StreamInput

/** The options of `createClient` in Node. */
export interface NodeClientOptions extends ClientOptions {
  /**
   * The folder for the state of unfinished uploads. Default: `stowage/uploads` in the user's state folder
   * (`$XDG_STATE_HOME` or `~/.local/state`; on Windows `%LOCALAPPDATA%`).
   */
  stateFolder?: string | undefined
}

/** The client for Node: it also uploads paths and downloads to files. */
export interface NodeClient extends Client<NodeInput> {
  /**
   * Downloads an asset to a file. Resumes an earlier call that was interrupted. If the path is a folder,
   * the file gets the name of the asset. Rejects with `damaged` if the bytes do not match the asset's SHA-256.
   */
  downloadTo(id: string, path: string, options?: DownloadToOptions): Promise<Downloaded>
  /**
   * Downloads several assets as a ZIP archive: those of `ids`, or all that match a `filter`. Resumes an earlier call that was
   * interrupted, if no file has changed since. If the path is a folder, the file gets the name of the archive. Rejects with
   * `damaged` if a file in the archive does not match its CRC-32.
   */
  downloadZip(
    selection: ArchiveRequest,
    path: string,
    options?: DownloadZipOptions,
  ): Promise<DownloadedZip>
}

/** Creates a client for Node. Throws a TypeError for invalid options. Makes no request. */
export function createClient(options: NodeClientOptions): NodeClient {
  // A mistyped name would otherwise be reported as a missing URL.
  if (options) checkOptions(options, `${CLIENT_OPTIONS} stateFolder`)
  if (!options?.baseUrl?.startsWith?.('http')) {
    throw new TypeError(
      `Invalid baseUrl “${options?.baseUrl ?? ''}”. Pass the URL of the service: createClient({ baseUrl: 'https://files.example' })`,
    )
  }
  const agents = openAgents()
  /** The open file of each upload with `sha256: true`, by the function that replaces `true`. */
  const opened = new WeakMap<object, Promise<FileSource>>()
  const withSha256 = <Options extends Pick<UploadOptions, 'sha256' | 'signal'>>(
    input: unknown,
    uploadOptions: Options | undefined,
  ): Options | undefined => {
    if (uploadOptions?.sha256 !== true || pathOf(input) === undefined) return uploadOptions
    const sha256 = async () => (await opened.get(sha256))?.sha256(uploadOptions.signal) ?? ''
    return { ...uploadOptions, sha256 }
  }
  const client = createClientOn<NodeInput>(options, {
    moreOptions: 'stateFolder',
    adviceFor: adviceForFailure,
    // Only fetch supports proxies.
    exchange: process.env.NODE_USE_ENV_PROXY ? undefined : createExchange(agents),
    store: options.store ?? openFileStore(options.stateFolder),
    check(input) {
      if (pathOf(input) === undefined || isUrl(input)) checkInput(input)
    },
    open(input, sourceOptions) {
      const path = pathOf(input)
      if (path !== undefined) {
        const source = openFile(path, { ...sourceOptions, agents })
        const { sha256 } = sourceOptions as UploadOptions
        if (typeof sha256 === 'function') opened.set(sha256, source)
        return source
      }
      return openInput(input as BlobInput | StreamInput, {
        ...withLength(input, sourceOptions),
        putBytes: (url, bytes, options) => putBytes(url, bytes, { ...options, agents }),
      })
    },
  })
  return {
    ...client,
    upload: (input, uploadOptions) => client.upload(input, withSha256(input, uploadOptions)),
    replace: (id, input, replaceOptions) =>
      client.replace(id, input, withSha256(input, replaceOptions)),
    downloadTo: createDownloadTo(client, options),
    downloadZip: createDownloadZip(client, options),
  }
}

/** A file stream also has a path, but it may cover only a range of the file. */
function pathOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  const { path } = (input ?? {}) as { path?: unknown }
  return typeof path === 'string' && !isStream(input) ? path : undefined
}

/** Takes the length from the headers of a `node:http` message. */
function withLength(input: unknown, sourceOptions: SourceOptions): SourceOptions {
  if (!isStream(input)) return sourceOptions
  const { headers } = input as { headers?: Record<string, string | undefined> }
  const length = headers?.['content-encoding'] ? undefined : headers?.['content-length']
  const { size = length ? Number(length) : undefined } = sourceOptions
  return { ...sourceOptions, size }
}
