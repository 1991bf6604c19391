import type { BigIntStats } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { StowageError } from '../errors.ts'
import { fileChanged } from '../upload/session.ts'
import type { Likeness, Range, Source, SourceOptions } from '../upload/source.ts'
import { watchLine } from './measure-throughput.ts'
import { mimeOf } from './mime.ts'
import { type Agents, putRange } from './put-range.ts'

/** A pipe must not make us wait for somebody to write into it. Windows has no such flag. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Reads are this long when nothing is sent. */
const BLOCK = 1024 * 1024

/**
 * A file of the disk. It stays open from the first part to the last, so that a file that takes its
 * place meanwhile is not mixed in; and it is looked at around every part.
 */
export async function openFile(
  path: string,
  { name = basename(path), mime = mimeOf(name), agents }: SourceOptions & { agents: Agents },
): Promise<Source> {
  const file = await open(path, READ_AT_ONCE).catch((cause) => {
    throw new StowageError('file_unreadable', `“${path}” can’t be read: ${cause.message}`, {
      cause,
    })
  })
  const stats = await file.stat({ bigint: true })
  if (!stats.isFile()) {
    await file.close()
    throw new StowageError('file_unreadable', `“${path}” is not a file.`)
  }
  const version = versionOf(stats)
  const line = watchLine()

  async function compare(before: string): Promise<Likeness> {
    const now = versionOf(await file.stat({ bigint: true }))
    if (now === before) return 'same'
    return contentOf(now) === contentOf(before) ? 'unsure' : 'changed'
  }

  return {
    name,
    mime,
    size: Number(stats.size),
    key: resolve(path),
    version,
    isWatched: true,
    compare,
    async put(url, range, { signal, stallMs, onSent, onDigest }) {
      let checksum: number | undefined = 0
      const leave = line.enter()
      try {
        return await putRange(url, {
          file,
          range,
          agents,
          signal,
          stallMs,
          onSent,
          onBytes(bytes) {
            line.moved(bytes.length)
            if (line.isFast()) checksum = undefined
            if (checksum !== undefined) checksum = crc32(bytes, checksum)
          },
          async onRead() {
            if ((await compare(version)) === 'changed') throw fileChanged(name)
            // Known before the last bytes go, so that no part is there whose digest is not.
            await onDigest(checksum === undefined ? '' : digestOf(checksum))
          },
        })
      } finally {
        leave()
      }
    },
    async digest({ start, end }: Range, signal: AbortSignal | undefined) {
      let checksum = 0
      const block = Buffer.allocUnsafeSlow(BLOCK)
      for (let at = start; at < end; ) {
        signal?.throwIfAborted()
        const { bytesRead } = await file.read(block, 0, Math.min(BLOCK, end - at), at)
        if (bytesRead === 0) throw fileChanged(name)
        checksum = crc32(block.subarray(0, bytesRead), checksum)
        at += bytesRead
      }
      return digestOf(checksum)
    },
    close: () => file.close(),
  }
}

/** Size and time first. The rest changes too when the file is renamed, or its time is set back. */
function versionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`
}

function contentOf(version: string): string {
  return version.split(' ', 2).join(' ')
}

/**
 * CRC-32 costs half of what SHA-256 does, and this much is enough: it is looked at only where the
 * file's size and time are what they were.
 */
function digestOf(checksum: number): string {
  return checksum.toString(36)
}
