import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { WorkloadContext } from '../workload.ts'

const NOT_FOUND = '<Error><Code>NoSuchKey</Code></Error>'

/**
 * Starts an S3 server that assigns upload IDs but stores no uploads. It keeps only objects that are sent in a single
 * request, such as the identity of the storage. Returns the settings of a service that uses it.
 */
export async function startS3Stub(context: WorkloadContext): Promise<Record<string, string>> {
  const objects = new Map<string, string>()
  let uploads = 0

  function respond(call: string, path: string, body: string): [status: number, body: string] {
    if (call === 'POST ?uploads') {
      uploads += 1
      const id = `<UploadId>${uploads}</UploadId>`
      return [200, `<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>`]
    }
    if (call === 'GET ?uploads') return [200, '<ListMultipartUploadsResult />']
    if (call === 'PUT') {
      objects.set(path, body)
      return [200, '']
    }
    if (call === 'DELETE') return [204, '']
    const object = objects.get(path)
    return object === undefined ? [404, NOT_FOUND] : [200, object]
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub')
    const call = `${request.method}${searchParams.has('uploads') ? ' ?uploads' : ''}`
    const [status, body] = respond(call, pathname, await text(request))
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.defer(() => server.close().closeAllConnections())
  return {
    STOWAGE_STORAGE: 's3://stub',
    STOWAGE_S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    STOWAGE_S3_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'stub',
    AWS_SECRET_ACCESS_KEY: 'stub',
  }
}
