import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inParallel, type openSender } from './part-sender.ts'
import { BODY, emptyFolder, GIBIBYTE, LENGTHS, settleDisk, syncFile } from './put-files.ts'
import { cancelUpload, requestSession } from './stowage-upload.ts'

export interface Transfer {
  /** Sends 1 GiB. */
  send(): Promise<void>
  /** Removes the data. The time that this takes is not measured. */
  cleanUp(): Promise<void>
}

type Send = ReturnType<typeof openSender>['send']

export const CONCURRENCY = 4

/** Sends to the signed URLs of an upload session. */
export async function openStowageTransfer(
  send: Send,
  url: string,
  data: string,
): Promise<Transfer> {
  const session = await requestSession(url, GIBIBYTE)
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
