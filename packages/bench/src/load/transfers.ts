import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inParallel, type openSender } from './part-sender.ts'
import { BODY, emptyFolder, GIBIBYTE, LENGTHS, settleDisk, syncFile } from './put-files.ts'
import { cancelUpload, requestSession } from './stowage-upload.ts'

export interface Transfer {
  /** Sends 1 GiB. */
  send(): Promise<void>
  /** Removes the data. Not measured. */
  cleanUp(): Promise<void>
}

type Send = ReturnType<typeof openSender>['send']

export const AT_ONCE = 4

/** To the signed URLs of an upload session. */
export async function toStowage(send: Send, url: string, data: string): Promise<Transfer> {
  const session = await requestSession(url, GIBIBYTE)
  return {
    send: () =>
      inParallel(
        AT_ONCE,
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

/** One upload for each part, as tus clients do to send in parallel. */
export async function toTus(send: Send, url: string, folder: string): Promise<Transfer> {
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
        AT_ONCE,
        LENGTHS.map((length) => () => upload(length)),
      ),
    cleanUp: () => emptyFolder(folder),
  }
}

/** One file for each part. */
export async function toFiles(
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
        AT_ONCE,
        LENGTHS.map((length) => () => put(length)),
      ),
    cleanUp: () => emptyFolder(folder),
  }
}
