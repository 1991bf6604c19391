import { createHash, randomBytes } from 'node:crypto'
import { constants, type FileHandle, open, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Asset } from '@stowage/protocol'
import type { Client } from '../client.ts'
import { isStowageError, isTransient, StowageError } from '../errors.ts'
import type { ClientOptions } from '../options.ts'
import { pause } from '../pause.ts'
import { createRetryPolicy, retryDelay } from '../retry-policy.ts'
import { createMeter, type Meter, type Progress } from '../upload/progress.ts'
import { localName } from './local-name.ts'
import { moveIntoPlace, refuseExisting } from './move-into-place.ts'
import { createChunkReader } from './read-chunks.ts'

/** The options of `downloadTo`. */
export interface DownloadToOptions {
  /** Stops the download. The next call resumes it. */
  signal?: AbortSignal | undefined
  /** Called at most every 100 ms, and at the end. */
  onProgress?:
    | ((progress: Pick<Progress, 'bytes' | 'total' | 'rate' | 'secondsLeft'>) => void)
    | undefined
  /** Whether to replace an existing file. Default: true; false rejects with `file_exists`. */
  overwrite?: boolean | undefined
}

/** The result of `downloadTo`. */
export interface Downloaded {
  /** The downloaded asset. */
  asset: Asset
  /** The path of the file. */
  path: string
  /** The size of the file. */
  bytes: number
}

const PROGRESS_MS = 100
/** How many times a download may start again because its file was replaced, or its partial file was moved. */
const MAX_RESTARTS = 10

export function createDownloadTo(
  client: Pick<Client, 'asset' | 'download'>,
  { retry = {}, stallMs = 30_000 }: ClientOptions,
) {
  const readChunks = createChunkReader(client, stallMs)

  return async function downloadTo(
    id: string,
    path: string,
    options: DownloadToOptions = {},
  ): Promise<Downloaded> {
    for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
      const downloaded = await downloadVersion(id, path, options)
      if (downloaded !== undefined) return downloaded
    }
    const message = `The file was replaced ${MAX_RESTARTS + 1} times while it was downloaded. Download it again when no more replacements are expected.`
    throw new StowageError('file_changed', message)
  }

  /** Downloads the current version. Returns undefined if the file was replaced or its partial file was moved. */
  async function downloadVersion(
    id: string,
    path: string,
    options: DownloadToOptions,
  ): Promise<Downloaded | undefined> {
    const { signal, overwrite = true } = options
    const asset = await client.asset(id, { signal })
    const target = await targetOf(path, asset)
    if (!overwrite) await refuseExisting(target)
    const partial = choosePartial(dirname(target), asset)
    try {
      const saved = await save(partial, asset, options)
      if (saved === undefined) return undefined
      // Another process may have finished first and moved the file to the target.
      const isDone = overwrite && saved.isMoved && (await isSameFile(saved, target))
      if (!isDone) {
        if (saved.isMoved) return undefined
        if (!(await moveIntoPlace(partial.path, target, { overwrite }))) return undefined
      }
      return { asset, path: target, bytes: Number(saved.size) }
    } catch (error) {
      if (!partial.canResume) await rm(partial.path, { force: true })
      throw error
    } finally {
      partial.release()
    }
  }

  /** Downloads into the partial file, and verifies it. Returns undefined if the download must start again. */
  async function save(
    partial: Partial,
    asset: Asset,
    options: DownloadToOptions,
  ): Promise<Saved | undefined> {
    const { signal } = options
    // Read and verified through the open file: another process may move it at any time.
    const file = await open(partial.path, constants.O_RDWR | constants.O_CREAT)
    try {
      const isResumed = (await file.stat()).size > 0
      await fill(file, asset, options)
      if (!(await hasDigest(file, asset, signal))) {
        if (!(await empty(file, partial.path))) return undefined
        // Bytes that an earlier call saved may have changed on this disk. Then all bytes are downloaded again.
        if (!isResumed) throw digestMismatch(asset)
        await fill(file, asset, options)
        if (!(await hasDigest(file, asset, signal))) {
          if (!(await empty(file, partial.path))) return undefined
          throw digestMismatch(asset)
        }
      }
      await file.sync()
      const stats = await file.stat({ bigint: true })
      const { dev, ino, size } = stats
      return { dev, ino, size, isMoved: !(await isSameFile(stats, partial.path)) }
    } catch (error) {
      const isRestarted = await isReplaced(asset, error, signal)
      const stats = await file.stat({ bigint: true })
      // Without any bytes, there is nothing to resume.
      const isUseless = isRestarted || stats.size === 0n
      if (isUseless && (await isSameFile(stats, partial.path))) {
        await rm(partial.path, { force: true })
      }
      if (isRestarted) return undefined
      throw error
    } finally {
      await file.close()
    }
  }

  /** Whether the version no longer exists because the file was replaced. */
  async function isReplaced(
    { id, version }: Asset,
    error: unknown,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    // The service no longer knows the version, or the storage no longer has its object.
    if (!isStowageError(error) || error.status !== 404 || version === undefined) return false
    return (await client.asset(id, { signal })).version !== version
  }

  async function fill(file: FileHandle, asset: Asset, options: DownloadToOptions): Promise<void> {
    const retryPolicy = createRetryPolicy(retry)
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
        // A link leads to another server, whose failures are not retried.
        if (asset.is_link) throw linkFailed(asset, error)
        const { size } = await file.stat()
        if (asset.is_file && size === asset.bytes) return
        if (size > start) {
          retryPolicy.succeeded()
          tries = 1
        }
        retryPolicy.failed(error)
        await pause(retryDelay(tries, retry, error.retryAfterMs), options.signal)
        tries += 1
      }
    }
  }

  /** Writes from `start` on until the connection ends. Errors of the disk are thrown unchanged. */
  async function receive(
    file: FileHandle,
    asset: Asset,
    options: DownloadToOptions & { start: number; meter: Meter },
  ): Promise<void> {
    const { signal, onProgress, start, meter } = options
    meter.begin({ total: asset.bytes, parts: 1, received: new Map([[0, start]]) })
    let reportedAt = 0
    // Each attempt reads the same version, because the file may be replaced meanwhile. A link has no versions.
    const version = asset.is_file ? asset.version : undefined
    for await (const { at, bytes } of readChunks(asset.id, { start, version, signal })) {
      await writeWhole(file, bytes, at)
      const end = at + bytes.length
      meter.sent(1, end - start)
      if (Date.now() - reportedAt < PROGRESS_MS && end !== asset.bytes) continue
      reportedAt = Date.now()
      onProgress?.(meter.read())
    }
  }
}

/** The partial files that downloads of this process write to. */
const inUse = new Set<string>()

interface Partial {
  path: string
  /** Whether a later call may continue with its bytes. */
  canResume: boolean
  release(): void
}

/**
 * The content of a version never changes, so that a partial download can be resumed. A second download of this process
 * gets a file of its own, and so does a link, whose content may change. Another process may write to the same file: it
 * writes the same bytes to the same positions.
 */
function choosePartial(folder: string, asset: Asset): Partial {
  const path = resolve(folder, partialName(asset))
  if (asset.is_file && !inUse.has(path)) {
    inUse.add(path)
    return { path, canResume: true, release: () => inUse.delete(path) }
  }
  const own = path.replace(/part$/, `${randomBytes(8).toString('hex')}.part`)
  return { path: own, canResume: false, release: () => {} }
}

interface FileIdentity {
  dev: bigint
  ino: bigint
}

/** A verified partial file. */
interface Saved extends FileIdentity {
  size: bigint
  /** Whether another process has moved it. */
  isMoved: boolean
}

async function isSameFile({ dev, ino }: FileIdentity, path: string): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found?.ino === ino && found.dev === dev
}

/** Empties the partial file. Returns false if another process has moved it: then it belongs to that process. */
async function empty(file: FileHandle, path: string): Promise<boolean> {
  if (!(await isSameFile(await file.stat({ bigint: true }), path))) return false
  await file.truncate(0)
  return true
}

/** Whether the file has the SHA-256 of the asset. True if the service does not know it yet. */
async function hasDigest(
  file: FileHandle,
  { checksum }: Asset,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // A service of an earlier version sends no checksum.
  if (!checksum) return true
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let at = 0; ; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return hash.digest('hex') === checksum.sha256
    hash.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

function digestMismatch({ filename, checksum }: Asset): StowageError {
  const message = `The downloaded bytes of “${filename}” do not match the SHA-256 ${checksum?.sha256}. Download the file again. If this error persists, the stored file is damaged.`
  return new StowageError('damaged', message)
}

/** Each version has its own partial file: their bytes must not be mixed. */
function partialName({ id, version = 1 }: Asset): string {
  return version === 1 ? `.${id}.part` : `.${id}.${version}.part`
}

/** Returns how many bytes of the partial file can be kept. If it is too long, or belongs to a link, it is emptied. */
async function usableSize(file: FileHandle, asset: Asset): Promise<number> {
  const { size } = await file.stat()
  if (asset.is_file && size <= asset.bytes) return size
  await file.truncate(0)
  return 0
}

/**
 * Writes at a position instead of appending: two downloads of the same asset then write the same bytes to
 * the same positions. Loops, because an almost full disk may write only some of the bytes.
 */
async function writeWhole(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

/** The file name of the asset cannot lead out of the folder. */
async function targetOf(path: string, { filename }: Asset): Promise<string> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => path.endsWith('/') || path.endsWith(sep),
  )
  return isFolder ? join(path, localName(filename)) : path
}

function linkFailed({ url }: Asset, cause: unknown): StowageError {
  return new StowageError('network', `The target of the link cannot be downloaded: ${url}`, {
    cause,
  })
}
