import { createHash, randomBytes } from 'node:crypto'
import { constants, type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Asset } from '@stowage/protocol'
import type { Client } from '../client.ts'
import { isStowageError, isTransient, StowageError } from '../errors.ts'
import { type ClientOptions, refuseUnknown } from '../options.ts'
import { pause } from '../pause.ts'
import { createRetryPolicy, retryDelay } from '../retry-policy.ts'
import { createMeter, type Meter, type Progress } from '../upload/progress.ts'

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
  /** Downloads this version of the file. Default: the current one. */
  version?: number | undefined
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
  client: Pick<Client, 'asset' | 'versions' | 'download'>,
  { retry = {}, stallMs = 30_000 }: ClientOptions,
) {
  const readChunks = createChunkReader(client, stallMs)

  return async function downloadTo(
    id: string,
    path: string,
    options: DownloadToOptions = {},
  ): Promise<Downloaded> {
    refuseUnknown(options, 'signal onProgress overwrite version')
    for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
      const downloaded = await downloadVersion(id, path, options)
      if (downloaded !== undefined) return downloaded
    }
    const message = `The file was replaced ${MAX_RESTARTS + 1} times while it was downloaded. Download it again when no more replacements are expected.`
    throw new StowageError('file_changed', message)
  }

  /** Returns the asset with the file of the version. Rejects with `not_found` if the version is not kept. */
  async function readAsset(id: string, { version, signal }: DownloadToOptions): Promise<Asset> {
    const asset = await client.asset(id, { signal })
    if (version === undefined || version === asset.version) return asset
    const found = (await client.versions(id, { signal })).find((one) => one.version === version)
    if (found === undefined) {
      const message = `The asset has no version ${version}. Call versions(id) to list those that are kept.`
      throw new StowageError('not_found', message, { status: 404 })
    }
    const { filename, size, bytes, mime, checksum, damaged } = found
    return { ...asset, version, filename, size, bytes, mime, checksum, damaged }
  }

  /** Downloads a version. Returns undefined if the file was replaced or its partial file was moved. */
  async function downloadVersion(
    id: string,
    path: string,
    options: DownloadToOptions,
  ): Promise<Downloaded | undefined> {
    const { overwrite = true } = options
    const asset = await readAsset(id, options)
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
    partial: PartialFile,
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

interface PartialFile {
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
function choosePartial(folder: string, asset: Asset): PartialFile {
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
export async function writeWhole(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

/** The file name of the asset cannot lead out of the folder. */
export async function targetOf(
  path: string,
  { filename }: Pick<Asset, 'filename'>,
): Promise<string> {
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

export interface Chunk {
  /** Its position in the file. */
  at: number
  bytes: Uint8Array
}

interface ReadOptions {
  start: number
  /** Undefined: the current version, which may change between two calls. */
  version: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Reads the bytes of an asset from `start` on, or from 0 if the server ignores ranges. Rejects with a
 * StowageError if the connection breaks or stalls, and with the reason of an abort. Ends when the
 * connection ends, even if bytes are missing.
 */
function createChunkReader(client: Pick<Client, 'download'>, stallMs: number) {
  return async function* readChunks(
    id: string,
    { start, version, signal }: ReadOptions,
  ): AsyncGenerator<Chunk> {
    const stalling = new AbortController()
    const either = signal ? AbortSignal.any([signal, stalling.signal]) : stalling.signal
    const startTimer = () => setTimeout(() => stalling.abort(), stallMs)
    let timer = startTimer()
    try {
      const range = start > 0 ? { start } : undefined
      const response = await client.download(id, { range, version, signal: either })
      let at = response.status === 206 ? start : 0
      for await (const bytes of response.body ?? []) {
        // The time that the consumer takes to write the chunk does not count.
        clearTimeout(timer)
        yield { at, bytes }
        at += bytes.length
        timer = startTimer()
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof StowageError) throw error
      throw new StowageError('network', 'The connection broke.', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * Moves a finished file to its final name atomically. Returns false if the file no longer exists. Without
 * `overwrite`, it never replaces a file, even one created at the same time: it rejects with `file_exists`
 * and the finished file stays where it is.
 */
export async function moveIntoPlace(
  from: string,
  to: string,
  { overwrite }: { overwrite: boolean },
): Promise<boolean> {
  try {
    if (overwrite) await rename(from, to)
    else await moveWithoutReplacing(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw code === 'EEXIST' ? fileExists(to) : error
  }
}

/** Rejects with `file_exists` early, before anything is downloaded. */
export async function refuseExisting(path: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw fileExists(path)
}

function fileExists(path: string): StowageError {
  return new StowageError('file_exists', `“${path}” already exists.`)
}

/** Rejects with EEXIST if the target exists. The check and the creation are one atomic step. */
async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOENT') throw error
    // Without hard links: create an empty file, which fails if the name exists, and replace it.
    await (await open(to, 'wx')).close()
    return rename(from, to)
  }
  await rm(from, { force: true })
}

/** Windows does not allow these in names; `a:b` would be an alternate data stream (NTFS) of the file `a`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const REFUSED_BY_WINDOWS = /[\u0000-\u001f<>:"|?*]/g
const RESERVED_BY_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Turns the file name of an asset into a file name on this system, without any folder. */
export function localName(filename: string, platform: NodeJS.Platform = process.platform): string {
  const name = basename(filename.replaceAll('\\', '_'))
  if (/^\.{0,2}$/.test(name)) return '_'
  if (platform !== 'win32') return name
  const clean = name.replace(REFUSED_BY_WINDOWS, '_').replace(/[. ]+$/, '_')
  return RESERVED_BY_WINDOWS.test(clean) ? `_${clean}` : clean
}
