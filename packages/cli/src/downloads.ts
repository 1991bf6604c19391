import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder } from '@stowage/client/internal/files'
import {
  type ArchiveRequest,
  type Asset,
  type DownloadedZip,
  isStowageError,
  type NodeClient,
} from '@stowage/client/node'
import { openLiveLines } from './terminal/live-lines.ts'
import { progressLine } from './terminal/progress-line.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed, isSystemError } from './usage.ts'

export interface SaveOptions {
  force: boolean
  signal: AbortSignal
}

/** Downloads an asset to a path, with a progress line. Resumes an earlier download. Returns the path. */
export async function saveAsset(
  client: NodeClient,
  asset: Asset,
  { path, force, signal, version }: SaveOptions & { path: string; version?: number | undefined },
): Promise<string> {
  const live = openLiveLines()
  try {
    await makeFolder(dirname(path))
    const saved = await client.downloadTo(asset.id, path, {
      signal,
      overwrite: force,
      version,
      onProgress: (now) =>
        live.show([progressLine({ name: asset.filename, ...now }, live.columns() - 1)]),
    })
    return saved.path
  } catch (error) {
    throw explain(error, path, signal)
  } finally {
    live.clear()
  }
}

/** Downloads assets as one archive, with a progress line. Resumes an earlier download. */
export async function saveZip(
  client: NodeClient,
  selection: ArchiveRequest,
  { path, force, signal }: SaveOptions & { path: string },
): Promise<DownloadedZip> {
  const live = openLiveLines()
  try {
    await makeFolder(dirname(path))
    return await client.downloadZip(selection, path, {
      signal,
      overwrite: force,
      onProgress: (now) => live.show([progressLine({ name: path, ...now }, live.columns() - 1)]),
    })
  } catch (error) {
    throw explain(error, path, signal)
  } finally {
    live.clear()
  }
}

/** A better message for failures of the disk. */
function explain(error: unknown, path: string, signal: AbortSignal): unknown {
  if (isStowageError(error, 'file_exists')) {
    return new CommandFailed(
      `${sanitize(path)} already exists. Pass --force to overwrite it, or another path.`,
    )
  }
  if (isStowageError(error) || signal.aborted || !isSystemError(error)) return error
  return new CommandFailed(
    sanitize(`Cannot write ${path}: ${error.message}. Run the same command again to resume.`),
  )
}

const MAX_ATTEMPTS = 5
const PAUSE_MS = 500
const STALL_MS = 30_000
/** How long to wait until the service has compared the file with its declared SHA-256. */
const VERIFYING_MS = 30 * 60_000

/** Writes the bytes of an asset to a stream. Resumes after a broken connection. */
export async function streamAsset(
  client: NodeClient,
  { id, filename, bytes, is_file, version, checksum }: Asset,
  { output, signal }: { output: Writable; signal: AbortSignal },
): Promise<number> {
  // The file may be replaced meanwhile: the bytes of two versions must not be mixed.
  const pinned = is_file ? { version } : {}
  const hash = createHash('sha256')
  const verifiedBefore = Date.now() + VERIFYING_MS
  let written = 0
  for (let attempts = 1; ; attempts += 1) {
    const before = written
    const stalling = new AbortController()
    const either = AbortSignal.any([signal, stalling.signal])
    let timer: NodeJS.Timeout | undefined
    try {
      const range = written > 0 ? { start: written } : undefined
      const response = await client.download(id, { range, ...pinned, signal: either })
      // Not earlier: the client may have waited for the service to verify the file.
      timer = setTimeout(() => stalling.abort(new Error('the connection stalled')), STALL_MS)
      if (range !== undefined && response.status !== 206)
        throw new Error('the download cannot be resumed')
      for await (const chunk of response.body ?? []) {
        written += chunk.length
        hash.update(chunk)
        if (!output.write(chunk)) await once(output, 'drain', { signal })
        timer.refresh()
      }
      if (!is_file || written >= bytes) {
        if (checksum && hash.digest('hex') !== checksum.sha256) throw digestMismatch(filename)
        return written
      }
      throw new Error('the connection ended early')
    } catch (error) {
      if (error instanceof CommandFailed) throw error
      if (isStowageError(error, 'verifying') && Date.now() < verifiedBefore) {
        await pause(error.retryAfterMs ?? PAUSE_MS, undefined, { signal })
        attempts = 0
        continue
      }
      if (signal.aborted || (isStowageError(error) && error.status !== 0)) throw error
      if (written > before) attempts = 1
      if (!is_file || attempts >= MAX_ATTEMPTS) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new CommandFailed(
          `The download of ${sanitize(filename)} failed after ${written} of ${bytes} bytes: ${reason}`,
        )
      }
      await pause(PAUSE_MS * attempts, undefined, { signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The bytes are already written, so the command fails: the program that reads them must not use them. */
function digestMismatch(filename: string): CommandFailed {
  return new CommandFailed(
    `The downloaded bytes of ${sanitize(filename)} do not match the SHA-256 of the asset. Do not use them. Download the file again.`,
  )
}

/** The path to save an asset to. In a folder, it ends with the sanitized name of the asset. */
export async function targetPath(path: string | undefined, asset: Asset): Promise<string> {
  const name = safeName(asset.filename)
  if (path === undefined) return name
  return (await isFolder(path)) ? join(path, name) : path
}

/** Whether the path is an existing folder, or ends with a separator. */
export async function isFolder(path: string): Promise<boolean> {
  if (path.endsWith('/') || path.endsWith(sep)) return true
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

/** Characters that some file systems reject, and invisible ones that hide or reorder text. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
  /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ufeff]/g
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
/** The maximum length of a name on common file systems, in bytes. */
const MAX_NAME_BYTES = 255

/**
 * Turns the name of an asset into a file name that stays in its folder, is not hidden, does not look like
 * an option and is not too long. Unsafe characters become `_`.
 */
export function safeName(filename: string): string {
  const clean = filename
    .toWellFormed()
    .replace(UNSAFE, '_')
    .replace(/^[.\-~ ]/, '_')
    .replace(/[. ]+$/, '_')
  const named = RESERVED_ON_WINDOWS.test(clean) ? `_${clean}` : clean || '_'
  return shortened(named)
}

/** Keeps the extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? ''
  const characters = [...name.slice(0, name.length - extension.length)]
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension)
  while (Buffer.byteLength(characters.join('')) > room) characters.pop()
  return characters.join('') + extension
}
