import { createHash } from 'node:crypto'
import { type BigIntStats, fstatSync } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { StowageError } from '../errors.ts'
import { mimeOf } from '../upload/mime.ts'
import { fileChanged } from '../upload/session.ts'
import type { Comparison, Range, Source, SourceOptions } from '../upload/source.ts'
import { type Agents, BLOCK, putRange, returnBlocks, takeBlock } from './http.ts'

/** Without O_NONBLOCK, opening a pipe would wait for a writer. Windows has no such flag. */
const READ_NONBLOCKING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export interface FileSource extends Source {
  /** Returns the SHA-256 of the file in hexadecimal. */
  sha256(signal: AbortSignal | undefined): Promise<string>
}

/**
 * Opens a file on disk. It stays open from the first part to the last, so that its bytes are
 * never mixed with those of a file that replaces it. It is checked for changes with every part.
 */
export async function openFile(
  path: string,
  { name = basename(path), mime = mimeOf(name), agents }: SourceOptions & { agents: Agents },
): Promise<FileSource> {
  const file = await open(path, READ_NONBLOCKING).catch((cause) => {
    throw new StowageError('file_unreadable', `“${path}” cannot be read: ${cause.message}`, {
      cause,
    })
  })
  const readStats = () => fstatSync(file.fd, { bigint: true })
  const stats = readStats()
  if (!stats.isFile()) {
    await file.close()
    throw new StowageError('file_unreadable', `“${path}” is not a file.`)
  }
  const version = versionOf(stats)
  const size = Number(stats.size)
  const throughput = measureThroughput()
  /** The content of a small file that was read for its SHA-256. It is not read again to be sent. */
  let content: Buffer | undefined

  async function compare(before: string): Promise<Comparison> {
    const now = versionOf(readStats())
    if (now === before) return 'same'
    return contentOf(now) === contentOf(before) ? 'unsure' : 'changed'
  }

  /** Calls the function with the bytes of the range, block by block. */
  async function readRange(
    { start, end }: Range,
    signal: AbortSignal | undefined,
    { block, onBytes }: { block: Buffer; onBytes(bytes: Buffer): void },
  ): Promise<void> {
    for (let at = start; at < end; ) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(block, 0, Math.min(BLOCK, end - at), at)
      if (bytesRead === 0) throw fileChanged(name)
      onBytes(block.subarray(0, bytesRead))
      at += bytesRead
    }
  }

  return {
    name,
    mime,
    size,
    key: resolve(path),
    version,
    isWatched: true,
    compare,
    async put(url, range, { signal, stallMs, onSent, onDigest }) {
      let checksum: number | undefined = 0
      const stop = throughput.start()
      const before = range.start === 0 && range.end === size ? content : undefined
      // If the part has to be sent again, it is read again.
      content = undefined
      try {
        return await putRange(url, {
          file,
          range,
          content: before,
          agents,
          signal,
          stallMs,
          onSent,
          onBytes(bytes) {
            throughput.sent(bytes.length)
            if (throughput.isFast()) checksum = undefined
            if (checksum !== undefined) checksum = crc32(bytes, checksum)
          },
          async onRead() {
            if ((await compare(version)) === 'changed') throw fileChanged(name)
            // The digest is saved before the last bytes are sent, so that no part is stored without it.
            await onDigest(checksum === undefined ? '' : digestOf(checksum))
          },
        })
      } finally {
        stop()
      }
    },
    async digest(range, signal) {
      let checksum = 0
      const block = takeBlock(agents)
      await readRange(range, signal, {
        block,
        onBytes(bytes) {
          checksum = crc32(bytes, checksum)
        },
      })
      returnBlocks(agents, block)
      return digestOf(checksum)
    },
    async sha256(signal) {
      const hash = createHash('sha256')
      const block = takeBlock(agents)
      let reads = 0
      await readRange({ start: 0, end: size }, signal, {
        block,
        onBytes(bytes) {
          hash.update(bytes)
          reads += 1
        },
      })
      if (reads === 1) content = block
      else returnBlocks(agents, block)
      return hash.digest('hex')
    },
    close: () => file.close(),
  }
}

/**
 * `contentOf` keeps the size and the modification time. The others also differ if the file was renamed or its time
 * was set back.
 */
function versionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`
}

function contentOf(version: string): string {
  return version.split(' ', 2).join(' ')
}

/**
 * CRC-32 costs less than SHA-256, and is sufficient: digests are compared only if the size and time of the
 * file are unchanged.
 */
function digestOf(checksum: number): string {
  return checksum.toString(36)
}

/** Measures how fast all parts of a file together are sent. */
export interface Throughput {
  /** A part starts. The returned function must be called when it ends. */
  start(): () => void
  sent(bytes: number): void
  /** Whether sending a part again costs less than computing its digest. */
  isFast(): boolean
}

/** In bytes per second. At this rate a digest takes a tenth of a processor. */
const FAST_RATE = 300_000_000
/** Fewer bytes than this may only have filled the buffers of the system. */
const MIN_BYTES = 16 * 1024 * 1024

export function measureThroughput(now: () => number = () => performance.now()): Throughput {
  let parts = 0
  let since = 0
  let bytes = 0
  return {
    start() {
      if (parts === 0) {
        since = now()
        bytes = 0
      }
      parts += 1
      return () => {
        parts -= 1
      }
    },
    sent(length) {
      bytes += length
    },
    isFast: () => bytes > MIN_BYTES && bytes > FAST_RATE * ((now() - since) / 1000),
  }
}
