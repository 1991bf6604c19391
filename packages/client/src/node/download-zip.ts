import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as zlib from 'node:zlib'
import type { Archive, ArchiveRequest } from '@stowage/protocol'
import type { Client } from '../client.ts'
import { isStowageError, isTransient, StowageError } from '../errors.ts'
import { type ClientOptions, refuseUnknown } from '../options.ts'
import { pause } from '../pause.ts'
import { errorOfResponse } from '../request.ts'
import { createRetryPolicy, retryDelay } from '../retry-policy.ts'
import { createMeter, type Progress } from '../upload/progress.ts'
import { moveIntoPlace, refuseExisting, targetOf, writeWhole } from './download-to.ts'

/** The options of `downloadZip`. */
export interface DownloadZipOptions {
  /** Stops the download. The next call resumes it. */
  signal?: AbortSignal | undefined
  /** Called at most every 100 ms, and at the end. */
  onProgress?:
    | ((progress: Pick<Progress, 'bytes' | 'total' | 'rate' | 'secondsLeft'>) => void)
    | undefined
  /** Whether to replace an existing file. Default: true; false rejects with `file_exists`. */
  overwrite?: boolean | undefined
}

/** The result of `downloadZip`. */
export interface DownloadedZip {
  /** The downloaded archive. */
  archive: Archive
  /** The path of the file. */
  path: string
}

const PROGRESS_MS = 100
/** How many times a download may start again because a file was replaced, deleted or damaged on this disk. */
const MAX_RESTARTS = 10
/** The archive has changed, or its URL is no longer valid. */
const OUTDATED = ['archive_outdated', 'url_expired', 'not_found', 'forbidden']

export function createDownloadZip(
  client: Pick<Client, 'zip'>,
  { retry = {}, stallMs = 30_000, fetch = globalThis.fetch }: ClientOptions,
) {
  return async function downloadZip(
    selection: ArchiveRequest,
    path: string,
    options: DownloadZipOptions = {},
  ): Promise<DownloadedZip> {
    refuseUnknown(options, 'signal onProgress overwrite')
    const { signal, overwrite = true } = options
    let isResumed = false
    for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
      // Returns the same archive with a new URL, unless a file has changed.
      const archive = await client.zip(selection, { signal })
      const target = await targetOf(path, archive)
      if (!overwrite) await refuseExisting(target)
      // The bytes of an ETag never change, so that any later call can continue with them.
      const partial = resolve(dirname(target), `.${archive.etag}.zip.part`)
      const file = await open(partial, constants.O_RDWR | constants.O_CREAT)
      try {
        isResumed ||= (await file.stat()).size > 0
        await fill(file, archive, options)
        const damaged = await findDamaged(file, archive, signal)
        if (damaged !== undefined) {
          await file.truncate(0)
          // Bytes that an earlier call saved may have changed on this disk. Then all bytes are downloaded again.
          if (!isResumed) throw damagedZip(archive, damaged)
          isResumed = false
          continue
        }
        await file.sync()
      } catch (error) {
        if (!isStowageError(error) || !OUTDATED.includes(error.code)) throw error
        if (error.code === 'archive_outdated') await rm(partial, { force: true })
        continue
      } finally {
        await file.close()
      }
      if (await moveIntoPlace(partial, target, { overwrite })) return { archive, path: target }
    }
    const message = `The files of the archive changed ${MAX_RESTARTS + 1} times while it was downloaded. Download it again when no more changes are expected.`
    throw new StowageError('file_changed', message)
  }

  /** Retries failures of the connection. Errors of the disk are thrown unchanged. */
  async function fill(
    file: FileHandle,
    archive: Archive,
    options: DownloadZipOptions,
  ): Promise<void> {
    const retryPolicy = createRetryPolicy(retry)
    const meter = createMeter()
    for (let tries = 1; ; ) {
      const { size } = await file.stat()
      const start = size <= archive.bytes ? size : 0
      if (start === archive.bytes) return
      meter.begin({ total: archive.bytes, parts: 1, received: new Map([[0, start]]) })
      try {
        let reportedAt = 0
        for await (const { at, bytes } of receive(archive, start, options.signal)) {
          if (at === 0 && start > 0) await file.truncate(0)
          await writeWhole(file, bytes, at)
          const end = at + bytes.length
          meter.sent(1, Math.max(0, end - start))
          if (Date.now() - reportedAt < PROGRESS_MS && end !== archive.bytes) continue
          reportedAt = Date.now()
          options.onProgress?.(meter.read())
        }
        if ((await file.stat()).size === archive.bytes) return
        throw new StowageError('network', 'The connection ended too early.')
      } catch (error) {
        if (!isTransient(error)) throw error
        if ((await file.stat()).size > start) {
          retryPolicy.succeeded()
          tries = 1
        }
        retryPolicy.failed(error)
        await pause(retryDelay(tries, retry, error.retryAfterMs), options.signal)
        tries += 1
      }
    }
  }

  /** Reads from `start` on, or from 0 if the URL has another archive. */
  async function* receive({ url, etag }: Archive, start: number, signal: AbortSignal | undefined) {
    const stalling = new AbortController()
    const either = signal ? AbortSignal.any([signal, stalling.signal]) : stalling.signal
    const startTimer = () => setTimeout(() => stalling.abort(), stallMs)
    let timer = startTimer()
    try {
      const range = start > 0 ? { Range: `bytes=${start}-`, 'If-Range': `"${etag}"` } : {}
      const response = await fetch(url, {
        headers: { 'If-Match': `"${etag}"`, ...range },
        signal: either,
      })
      if (!response.ok) {
        const { status, headers } = response
        throw errorOfResponse(status, await response.text(), (name) => headers.get(name))
      }
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

function damagedZip({ filename }: Archive, name: string): StowageError {
  const message = `The file “${name}” in “${filename}” does not match its CRC-32. Download the archive again. If this error persists, the stored file is damaged.`
  return new StowageError('damaged', message)
}

/** The length of all records after the directory, with those of ZIP64. */
const END_LENGTH = 98
const DIRECTORY_ENTRY = 0x0201_4b50
const LOCAL_HEADER = 0x0403_4b50
const MAX_32 = 0xffff_ffff
const ZIP64_FIELD = 1

/**
 * Compares each file in the archive with its CRC-32. Returns the name of the first that differs; undefined if there is none.
 * Reads only what the service writes: files that are stored without compression.
 */
async function findDamaged(
  file: FileHandle,
  { bytes: size }: Archive,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const end = await read(file, Math.max(0, size - END_LENGTH), Math.min(END_LENGTH, size))
  const last = end.subarray(-22)
  let directory = { start: last.readUInt32LE(16), length: last.readUInt32LE(12) }
  // The record of ZIP64 is there if its values do not fit.
  if (end.length === END_LENGTH && end.readUInt32LE(0) === 0x0606_4b50) {
    const length = Number(end.readBigUInt64LE(40))
    directory = { start: Number(end.readBigUInt64LE(48)), length }
  }
  if (directory.start + directory.length > size) return 'the directory'
  const entries = await read(file, directory.start, directory.length)
  for (let at = 0; at < entries.length; ) {
    signal?.throwIfAborted()
    const header = entries.subarray(at, at + 46)
    if (header.length < 46 || header.readUInt32LE(0) !== DIRECTORY_ENTRY) return 'the directory'
    const nameLength = header.readUInt16LE(28)
    const extraLength = header.readUInt16LE(30)
    const texts = entries.subarray(at + 46, at + 46 + nameLength + extraLength)
    const name = texts.toString('utf8', 0, nameLength)
    const values = zip64Values(texts.subarray(nameLength))
    const large = (value: number) => (value === MAX_32 ? Number(values.shift()) : value)
    const bytes = large(header.readUInt32LE(24))
    large(header.readUInt32LE(20))
    const position = large(header.readUInt32LE(42))
    const local = await read(file, position, 30)
    if (local.length < 30 || local.readUInt32LE(0) !== LOCAL_HEADER) return name
    const dataAt = position + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
    let crc = 0
    for (let done = 0; done < bytes; ) {
      signal?.throwIfAborted()
      const chunk = await read(file, dataAt + done, Math.min(bytes - done, READ_SIZE))
      if (chunk.length === 0) return name
      crc = crc32?.(chunk, crc) ?? 0
      done += chunk.length
    }
    if (crc32 !== undefined && crc !== header.readUInt32LE(16)) return name
    at += 46 + nameLength + extraLength + header.readUInt16LE(32)
  }
  return undefined
}

function zip64Values(extra: Buffer): bigint[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === ZIP64_FIELD) {
      return Array.from({ length: length / 8 }, (_, index) =>
        extra.readBigUInt64LE(at + 4 + index * 8),
      )
    }
    at += 4 + length
  }
  return []
}

const READ_SIZE = 1024 * 1024

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** Versions of Node before 20.15 have no CRC-32. Then only the structure of the archive is checked. */
const crc32 = (zlib as Partial<typeof zlib>).crc32
