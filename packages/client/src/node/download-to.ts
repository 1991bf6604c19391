import { constants, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Asset } from '@stowage/protocol'
import type { Client, ClientOptions } from '../create-client.ts'
import { isTransient, StowageError } from '../errors.ts'
import { createPatience, pause, pauseBefore } from '../retry-policy.ts'
import { createMeter, type Meter, type Progress } from '../upload/progress.ts'
import { localName } from './local-name.ts'
import { placeFile, refuseExisting } from './move-into-place.ts'
import { createArriving } from './read-chunks.ts'

export interface DownloadToOptions {
  /** Stops it; the next call goes on. */
  signal?: AbortSignal | undefined
  onProgress?:
    | ((progress: Pick<Progress, 'bytes' | 'total' | 'rate' | 'secondsLeft'>) => void)
    | undefined
  /** False: a file that is there in the end stays, and it rejects with `file_exists`. */
  overwrite?: boolean | undefined
}

export interface Downloaded {
  asset: Asset
  path: string
  bytes: number
}

const PROGRESS_MS = 100

export function createDownloadTo(
  client: Pick<Client, 'asset' | 'download'>,
  { retry = {}, stallMs = 30_000 }: ClientOptions,
) {
  const arriving = createArriving(client, stallMs)

  return async function downloadTo(
    id: string,
    path: string,
    options: DownloadToOptions = {},
  ): Promise<Downloaded> {
    const { signal, overwrite = true } = options
    const asset = await client.asset(id, { signal })
    const target = await targetOf(path, asset)
    if (!overwrite) await refuseExisting(target)
    const partial = join(dirname(target), `.${id}.part`)
    // An id stands for the same bytes forever, so what is there of it is good. A link's may change.
    const { O_WRONLY, O_CREAT, O_TRUNC } = constants
    const file = await open(partial, O_WRONLY | O_CREAT | (asset.is_file ? 0 : O_TRUNC))
    let bytes = 0
    try {
      await fill(file, asset, options)
      await file.sync()
      bytes = (await file.stat()).size
    } finally {
      await file.close()
    }
    // Another download of the same asset may have been first, and have taken it to its own place.
    if (!(await placeFile(partial, target, { overwrite }))) return downloadTo(id, path, options)
    return { asset, path: target, bytes }
  }

  async function fill(file: FileHandle, asset: Asset, options: DownloadToOptions): Promise<void> {
    const patience = createPatience(retry)
    const meter = createMeter()
    for (let tries = 1; ; ) {
      const start = await usableSize(file, asset)
      if (asset.is_file && start === asset.bytes) return
      try {
        await receive(file, asset, { ...options, start, meter })
        if (asset.is_link) return
        throw new StowageError('network', 'The connection ended too early.')
      } catch (error) {
        if (!isTransient(error)) throw error
        // Somebody else's server: whether it comes back is not ours to wait for.
        if (asset.is_link) throw linkIsAway(asset, error)
        const { size } = await file.stat()
        if (asset.is_file && size === asset.bytes) return
        if (size > start) {
          patience.succeeded()
          tries = 1
        }
        patience.failed(error)
        await pause(pauseBefore(tries, retry, error.retryAfterMs), options.signal)
        tries += 1
      }
    }
  }

  /** Writes from `start` on, as far as the line carries. What the disk refuses is thrown as it is. */
  async function receive(
    file: FileHandle,
    asset: Asset,
    options: DownloadToOptions & { start: number; meter: Meter },
  ): Promise<void> {
    const { signal, onProgress, start, meter } = options
    meter.begin({ total: asset.bytes, parts: 1, held: new Map([[0, start]]) })
    let toldAt = 0
    for await (const { at, bytes } of arriving(asset.id, { start, signal })) {
      await writeWhole(file, bytes, at)
      const end = at + bytes.length
      meter.sent(1, end - start)
      if (Date.now() - toldAt < PROGRESS_MS && end !== asset.bytes) continue
      toldAt = Date.now()
      onProgress?.(meter.read())
    }
  }
}

/** How much of it is good. Nothing of what is too long, or may be another by now. */
async function usableSize(file: FileHandle, asset: Asset): Promise<number> {
  const { size } = await file.stat()
  if (asset.is_file && size <= asset.bytes) return size
  await file.truncate(0)
  return 0
}

/**
 * At its place, and not at the end: so two downloads of the same asset write the same bytes to the
 * same places, and none spoils the other's. A disk that is almost full takes less than it is given.
 */
async function writeWhole(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

/** A name that the service gave is a name only: it leads out of no folder. */
async function targetOf(path: string, { filename }: Asset): Promise<string> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => path.endsWith('/') || path.endsWith(sep),
  )
  return isFolder ? join(path, localName(filename)) : path
}

function linkIsAway({ url }: Asset, cause: unknown): StowageError {
  return new StowageError('network', `What the link leads to can’t be had: ${url}`, { cause })
}
