import { readFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'

const ATTEMPTS = new URL('../embedded/other-origin/attempts.js', import.meta.url)

async function listen(t: TestContext, listener: RequestListener): Promise<number> {
  return Number(new URL(await anHttpServer(t, listener)).port)
}

/** A website of another origin: a page that runs every attempt, and a redirect to any URL. */
export async function anotherSite(t: TestContext): Promise<number> {
  const script = await readFile(ATTEMPTS)
  return listen(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here')
    if (pathname === '/redirect') {
      response.writeHead(302, { Location: searchParams.get('to') ?? '/' }).end()
    } else if (pathname === '/attempts.js') {
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script)
    } else {
      response.writeHead(200, { 'Content-Type': 'text/html' })
      response.end('<!doctype html><body><script src="/attempts.js"></script></body>')
    }
  })
}

/** Content that each kind of element can load when nothing blocks it. */
const LOADABLE: Record<string, [type: string, content: string | Buffer]> = {
  image: ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
  script: ['text/javascript', 'void 0'],
  style: ['text/css', 'b { color: red }'],
  iframe: ['text/html', '<!doctype html>in the frame'],
}

export interface PermissiveService {
  port: number
  /** The method and the media type of each request, except preflight requests. */
  got: string[]
}

/** A service that allows every origin, to show that the attempts succeed where nothing blocks them. */
export async function aPermissiveService(t: TestContext): Promise<PermissiveService> {
  const got: string[] = []
  const port = await listen(t, (request, response) => {
    allow(request, response)
    if (request.method !== 'OPTIONS') {
      got.push(`${request.method} ${request.headers['content-type']?.split(';')[0] ?? ''}`.trim())
    }
    const isStream = request.headers.accept === 'text/event-stream'
    const [type, content] = isStream
      ? ['text/event-stream', 'data: event\n\n']
      : (LOADABLE[`${request.headers['sec-fetch-dest']}`] ?? ['application/json', '{}'])
    response.writeHead(200, { 'Content-Type': type }).end(content)
  })
  return { port, got }
}

function allow({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE')
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type')
}
