import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { API } from '../processes/servers.ts'
import { inParallel, type Send } from './sender.ts'
import { cancelUpload, completeUpload, requestSession } from './sessions.ts'

export interface Transfer {
  /** Sends the file, by default 1 GiB. */
  send(): Promise<void>
  /** Removes the data. The time that this takes is not measured. */
  cleanUp(): Promise<void>
}

export const CONCURRENCY = 4

/** Sends to the signed URLs of an upload session. */
export async function openStowageTransfer(
  send: Send,
  url: string,
  data: string,
  size = GIBIBYTE,
): Promise<Transfer> {
  const session = await requestSession(url, size)
  return {
    send: () =>
      inParallel(
        CONCURRENCY,
        session.urls.map(({ url: partUrl, start, end }) => () => {
          return send({ method: 'PUT', url: partUrl, body: BODY.subarray(0, end - start) })
        }),
      ),
    async cleanUp() {
      await cancelUpload(url, session)
      await settleDisk(data)
    },
  }
}

/** Sends each part as a separate upload: this is how tus clients send in parallel. */
export async function openTusTransfer(send: Send, url: string, folder: string): Promise<Transfer> {
  const upload = async (length: number) => {
    const tus = { 'Tus-Resumable': '1.0.0' }
    const opening = { ...tus, 'Upload-Length': length }
    const { headers } = await send({ method: 'POST', url: `${url}/files`, headers: opening })
    await send({
      method: 'PATCH',
      url: new URL(headers.location ?? '', url).href,
      headers: { ...tus, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream' },
      body: BODY.subarray(0, length),
    })
  }
  return {
    send: () =>
      inParallel(
        CONCURRENCY,
        LENGTHS.map((length) => () => upload(length)),
      ),
    cleanUp: () => emptyFolder(folder),
  }
}

/** Sends each part as a separate file. */
export async function openFileTransfer(
  send: Send,
  url: string,
  { folder, isSynced = false }: { folder: string; isSynced?: boolean },
): Promise<Transfer> {
  const put = async (length: number) => {
    const name = randomUUID()
    await send({ method: 'PUT', url: `${url}/${name}`, body: BODY.subarray(0, length) })
    if (isSynced) await syncFile(join(folder, name))
  }
  return {
    send: () =>
      inParallel(
        CONCURRENCY,
        LENGTHS.map((length) => () => put(length)),
      ),
    cleanUp: () => emptyFolder(folder),
  }
}

/** Uploads and completes a file, by default of 1 GiB, and returns its ID. */
export async function storeFile(send: Send, url: string, size = GIBIBYTE): Promise<string> {
  const session = await requestSession(url, size)
  const puts = session.urls.map(({ url: partUrl, start, end }) => async () => {
    await send({ method: 'PUT', url: partUrl, body: BODY.subarray(0, end - start) })
  })
  await inParallel(CONCURRENCY, puts)
  await completeUpload(url, session, [])
  return session.id
}

/** Waits until the service has computed the checksum, so that the job does not run during the next measurement. */
export async function untilVerified(url: string, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}${API}/assets/${id}`)
    const { data } = (await response.json()) as { data: { checksum: unknown } }
    if (data.checksum !== null) return
    await pause(100)
  }
}

const run = promisify(execFile)

export const PART = 100_000_000
export const GIBIBYTE = 2 ** 30

/** The same body for all parts: its content makes no difference to any contender. */
export const BODY = randomBytes(PART)

/** The lengths of the parts of 1 GiB. */
const LENGTHS = Array.from({ length: Math.ceil(GIBIBYTE / PART) }, (_, index) =>
  Math.min(PART, GIBIBYTE - index * PART),
)

/** Makes the file durable. A part is durable when Stowage responds; a file that nginx received is not. */
async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.sync()
  await handle.close()
}

export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  await settleDisk(folder)
}

/** Waits until all data of a run is written, so that it does not affect the next run. */
export async function settleDisk(folder: string): Promise<void> {
  await run('sync', ['-f', folder])
}
