import type { Delivery } from './deliver.ts'
import type { Maker } from './maker.ts'
import type { FramedRequest } from './request.ts'

/**
 * Whether the connection was closed within a download because the file was deleted: the rest of the
 * response can't be sent, and the client must notice.
 */
export async function wasDeletedDuringDownload(
  { hosts, key }: Maker,
  batch: FramedRequest[],
  { failure, answers }: Delivery,
): Promise<boolean> {
  const request = batch[answers.length]
  if (!failure?.includes('cut off: "HTTP/1.1 20') || request?.port !== 'storage') return false
  const id = /^\/objects\/([0-9a-f-]{36})\?/.exec(request.target)?.[1]
  if (id === undefined) return false
  const headers = { Authorization: `Bearer ${key}` }
  const { status } = await fetch(`http://${hosts.api}/api/v1/assets/${id}`, { headers })
  return status === 404
}
