import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { acceptsEncoding, openFileCache } from '../responses/files.ts'
import type { RouteGroup } from '../route.ts'

const HTML = 'text/html; charset=utf-8'
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** The encodings of the compressed files in the build, best first, and their file extensions. */
const ENCODINGS = { br: 'br', gzip: 'gz' }

/** The paths of all pages. They serve the same HTML, and its script shows the page. */
const PAGES = [
  '/',
  '/assets/:id',
  '/products',
  '/products/:id',
  '/orders',
  '/orders/:id',
  '/mails',
  '/mails/:id',
  '/uploads',
  '/trash',
  '/activity',
  '/service',
  '/storage',
  '/settings',
  '/settings/webhooks/:id',
]
const MISSING = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Stowage</title></head>
<body><p>The dashboard is not built. Run <code>npm run build</code> and restart the service.</p>
<p>The API is available: see <a href="/docs">/docs</a>.</p></body></html>
`

/** The built web app. */
export const dashboardRoutes: RouteGroup = (app, { dashboard, context }) => {
  const read = openFileCache()

  async function page(_request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const shell = await readShell(read, dashboard)
    const nonce = randomBytes(16).toString('base64')
    reply
      .type(HTML)
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', policy(nonce, new URL(context.storage.url).origin))
      .header('Referrer-Policy', 'no-referrer')
    return shell.replace('{{nonce}}', nonce)
  }
  for (const path of PAGES) app.get(path, page)

  app.get<{ Params: { name: string } }>('/app/:name', async ({ params, headers }, reply) => {
    const readApp = (name: string) => read(new URL(`app/${name}`, folderOf(dashboard)))
    const file = await readBuilt(readApp, params.name, headers['accept-encoding'])
    if (file.encoding !== undefined) reply.header('Content-Encoding', file.encoding)
    return reply
      .type(file.type)
      .header('Vary', 'Accept-Encoding')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .send(file.content)
  })
  app.get('/icon.svg', async (_request, reply) => {
    const content = await read(new URL('icon.svg', folderOf(dashboard))).catch(fileNotFound)
    return reply
      .type('image/svg+xml')
      .header('Cache-Control', 'public, max-age=86400')
      .send(content)
  })
}

/** Allows only the page’s own scripts and styles; files come from and go to the storage. */
function policy(nonce: string, storage: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${storage}`,
    `img-src 'self' data: blob: ${storage}`,
    `media-src ${storage}`,
    'frame-src blob:',
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type Read<File> = (file: File) => Promise<Buffer>

/** The dashboard may be built while the service runs. Any error except a missing file is an error of the service. */
async function readShell(read: Read<URL>, dashboard: URL | undefined): Promise<string> {
  if (dashboard === undefined) return MISSING
  try {
    return (await read(new URL('index.html', dashboard))).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return MISSING
    throw error
  }
}

async function readBuilt(read: Read<string>, name: string, accepted?: string) {
  const type = TYPES[name.split('.').at(-1) ?? '']
  // Accept only a plain file name, so that no path leads out of the folder.
  if (type === undefined || !/^[\w-]+(\.[\w-]+)*\.[a-z0-9]+$/i.test(name)) return fileNotFound()
  for (const [encoding, ending] of Object.entries(ENCODINGS)) {
    if (!acceptsEncoding(accepted, encoding)) continue
    const content = await read(`${name}.${ending}`).catch(() => undefined)
    if (content !== undefined) return { type, encoding, content }
  }
  return { type, encoding: undefined, content: await read(name).catch(fileNotFound) }
}

function folderOf(dashboard: URL | undefined): URL {
  return dashboard ?? fileNotFound()
}

function fileNotFound(): never {
  throw new ServiceError('not_found', 'This file of the dashboard does not exist. Reload the page.')
}
