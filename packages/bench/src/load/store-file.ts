import { inParallel, type openSender } from './part-sender.ts'
import { BODY, GIBIBYTE } from './put-files.ts'
import { completeUpload, requestSession } from './stowage-upload.ts'
import { CONCURRENCY } from './transfers.ts'

/** Uploads and completes a file of 1 GiB, and returns its ID. */
export async function storeFile(
  send: ReturnType<typeof openSender>['send'],
  url: string,
): Promise<string> {
  const session = await requestSession(url, GIBIBYTE)
  const puts = session.urls.map(({ url: partUrl, start, end }) => async () => {
    await send({ method: 'PUT', url: partUrl, body: BODY.subarray(0, end - start) })
  })
  await inParallel(CONCURRENCY, puts)
  await completeUpload(url, session, [])
  return session.id
}
