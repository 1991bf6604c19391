import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listenOnFreePort } from '@stowage/testing/machine/ports'

/** A fault of the storage or of the network in front of it. */
export type S3Fault =
  /** The storage refuses the request with this error and changes nothing. */
  | { kind: 'error'; status: number; code: string }
  /** 200 with an error in the body, as S3 returns when it starts the response before the operation ends. */
  | { kind: 'error in a 200'; code: string }
  /** 200 with a body that is not from S3, as captive portals return. */
  | { kind: 'not from S3' }
  /** The connection breaks before the storage receives the request. */
  | { kind: 'cut before' }
  /** The storage executes the request, and the connection breaks before the response. */
  | { kind: 'cut after' }
  /** The storage executes the request, and the connection breaks during the response. */
  | { kind: 'cut within' }
  /** The storage receives the request twice, and the client receives the second response. */
  | { kind: 'twice' }
  | { kind: 'slow'; ms: number }
  /** The storage receives the request at the end of the promise. */
  | { kind: 'held'; until: Promise<void> }
  /** The request is accepted but gets no response. */
  | { kind: 'never' }

interface S3Request {
  /** The S3 name of the operation, such as `ListParts`. */
  operation: string
  /** The path, which ends with the object's key. */
  path: string
}

export interface S3Proxy {
  port: number
  /** `choose` is called for each later request, and returns the fault to inject, if any. */
  injectFaults(choose: (seen: S3Request) => S3Fault | undefined): void
  close(): Promise<void>
}

/** An HTTP proxy in front of S3-compatible storage. It forwards the Host header unchanged, because it is signed. */
export async function startS3Proxy(target: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(target)
  let choose: (seen: S3Request) => S3Fault | undefined = () => undefined

  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(incoming))
    const fault = choose({ operation: operationOf(incoming), path: pathOf(incoming) })
    switch (fault?.kind) {
      case 'error': {
        const text = incoming.method === 'HEAD' ? '' : errorXml(fault.code)
        outgoing.writeHead(fault.status, { 'Content-Type': 'application/xml' }).end(text)
        return
      }
      case 'error in a 200':
        outgoing.writeHead(200, { 'Content-Type': 'application/xml' }).end(errorXml(fault.code))
        return
      case 'not from S3':
        outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>')
        return
      case 'cut before':
        outgoing.destroy()
        return
      case 'cut after':
        await forward(incoming, body)
        outgoing.destroy()
        return
      case 'never':
        return
      case 'twice':
        await forward(incoming, body)
        break
      case 'slow':
        await pause(fault.ms)
        break
      case 'held':
        await fault.until
        break
    }
    const { message, content } = await forward(incoming, body)
    outgoing.writeHead(message.statusCode ?? 502, message.headers)
    if (fault?.kind !== 'cut within') {
      outgoing.end(content)
      return
    }
    outgoing.write(content.subarray(0, Math.floor(content.length / 2)))
    outgoing.destroy()
  }

  function forward(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<{ message: IncomingMessage; content: Buffer }> {
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path: url, headers }, async (message) => {
        try {
          resolve({ message, content: Buffer.concat(await Array.fromAsync(message)) })
        } catch (error) {
          reject(error)
        }
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  const ownPort = await listenOnFreePort(server)
  return {
    port: ownPort,
    injectFaults(next) {
      choose = next
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const WITH_UPLOAD_ID: Record<string, string> = {
  GET: 'ListParts',
  PUT: 'UploadPart',
  POST: 'CompleteMultipartUpload',
  DELETE: 'AbortMultipartUpload',
}
const ON_OBJECTS: Record<string, string> = {
  HEAD: 'HeadObject',
  GET: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
}

function operationOf(incoming: IncomingMessage): string {
  const { method = '' } = incoming
  const query = new URL(incoming.url ?? '', 'http://s3').searchParams
  if (query.has('uploadId')) return WITH_UPLOAD_ID[method] ?? method
  if (query.has('uploads')) {
    return method === 'POST' ? 'CreateMultipartUpload' : 'ListMultipartUploads'
  }
  if (query.has('list-type')) return 'ListObjects'
  if (incoming.headers['x-amz-copy-source'] !== undefined) return 'CopyObject'
  const isBucket = pathOf(incoming).split('/').filter(Boolean).length === 1
  return isBucket ? 'HeadBucket' : (ON_OBJECTS[method] ?? method)
}

function pathOf({ url = '' }: IncomingMessage): string {
  return new URL(url, 'http://s3').pathname
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`
}
