import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Asset } from '@stowage/protocol'
import type { Client, ClientOptions } from '../client.ts'
import { isTransient, StowageError } from '../errors.ts'
import { createPatience, pause, pauseBefore } from '../patience.ts'
import { createMeter, type Progress } from '../upload/progress.ts'

export interface DownloadToOptions {
  /** Stops it; the next call goes on. */
  signal?: AbortSignal | undefined
  onProgress?:
    | ((progress: Pick<Progress, 'bytes' | 'total' | 'rate' | 'secondsLeft'>) => void)
    | undefined
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
  return async function downloadTo(
    id: string,
    path: string,
    { signal, onProgress }: DownloadToOptions = {},
  ): Promise<Downloaded> {
    const asset = await client.asset(id, { signal })
    const target = await targetOf(path, asset)
    // An id stands for the same bytes forever, so what is there of it is good. A link's may change.
    const partial = join(dirname(target), `.${id}.part`)
    const file = await open(partial, asset.is_file ? 'a' : 'w')
    try {
      await fill(file, asset, { signal, onProgress })
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, target)
    return { asset, path: target, bytes: (await stat(target)).size }
  }

  async function fill(file: FileHandle, asset: Asset, options: DownloadToOptions): Promise<void> {
    const patience = createPatience(retry)
    const meter = createMeter()
    for (let tries = 1; ; ) {
      const { size: start } = await file.stat()
      if (asset.is_file && start > asset.bytes) await file.truncate(0)
      if (asset.is_file && start === asset.bytes) return
      try {
        await receive(file, asset, { ...options, start, meter })
        if (!asset.is_file) return
        throw new StowageError('network', 'The connection ended too early.')
      } catch (error) {
        if (!isTransient(error)) throw error
        const { size } = await file.stat()
        if (asset.is_file && size === asset.bytes) return
        if (size > start) {
          patience.succeeded()
          tries = 1
        }
        patience.failed(error)
        await pause(error.retryAfterMs ?? pauseBefore(tries, retry), options.signal)
        tries += 1
        if (!asset.is_file) await file.truncate(0)
      }
    }
  }

  /** Appends from `start` on, as far as the line carries. */
  async function receive(
    file: FileHandle,
    asset: Asset,
    options: DownloadToOptions & { start: number; meter: ReturnType<typeof createMeter> },
  ): Promise<void> {
    const { signal, onProgress, start, meter } = options
    const stalling = new AbortController()
    const either = signal ? AbortSignal.any([signal, stalling.signal]) : stalling.signal
    let timer = setTimeout(() => stalling.abort(), stallMs)
    meter.begin({ total: asset.bytes, parts: 1, held: new Map([[0, start]]) })
    let at = start
    let toldAt = 0
    try {
      const range = start > 0 ? { start } : undefined
      const response = await client.download(asset.id, { range, signal: either })
      if (range !== undefined && response.status !== 206) await file.truncate(0)
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer)
        timer = setTimeout(() => stalling.abort(), stallMs)
        await file.write(chunk)
        at += chunk.length
        meter.sent(1, at - start)
        if (Date.now() - toldAt < PROGRESS_MS && at !== asset.bytes) continue
        toldAt = Date.now()
        onProgress?.(meter.read())
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

/** A name that the service gave is a name only: it leads out of no folder. */
async function targetOf(path: string, { filename }: Asset): Promise<string> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => path.endsWith('/'),
  )
  return isFolder ? join(path, basename(filename.replaceAll('\\', '_'))) : path
}
