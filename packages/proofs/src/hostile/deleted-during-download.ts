import type { Exchange } from './exchange.ts'
import type { GeneratorContext } from './generator-context.ts'
import type { FramedRequest } from './request.ts'

/**
 * Whether the connection was closed within a download because the file was deleted: the rest of the
 * response can't be sent, and the client must notice.
 */
export async function wasDeletedDuringDownload(
  { hosts, key }: GeneratorContext,
  batch: FramedRequest[],
  { failure, responses }: Exchange,
): Promise<boolean> {
  const request = batch[responses.length]
  if (!failure?.includes('incomplete response: "HTTP/1.1 20') || request?.port !== 'storage')
    return false
  const id = /^\/objects\/([0-9a-f-]{36})\?/.exec(request.target)?.[1]
  if (id === undefined) return false
  const headers = { Authorization: `Bearer ${key}` }
  const { status } = await fetch(`http://${hosts.api}/api/v1/assets/${id}`, { headers })
  return status === 404
}
