import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { renderReference } from '../pages/reference/reference.ts'
import { acceptsEncoding } from '../responses/files.ts'
import type { RouteGroup } from '../route.ts'

const STYLE = new URL('../pages/reference/reference.css', import.meta.url)
const SCRIPT = new URL('../pages/reference/reference.js', import.meta.url)

/** The page loads its own style, script and icon, and nothing else. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const A_YEAR = 'public, max-age=31536000, immutable'

const PATHS = ['/docs', '/docs/reference.css', '/docs/reference.js'] as const

type ReferenceFiles = Record<(typeof PATHS)[number], ReferenceFile>

interface ReferenceFile {
  type: string
  cacheControl: string
  content: Buffer
  compressed: Buffer
}

/** The API reference, a web page. It is not part of the API. */
export const referenceRoutes: RouteGroup = (app, { context, baseUrl, version, dashboard }) => {
  let prepared: Promise<ReferenceFiles> | undefined

  async function prepare(): Promise<ReferenceFiles> {
    const [style, script] = await Promise.all([readFile(STYLE), readFile(SCRIPT)])
    const hash = createHash('sha256').update(style).update(script)
    const page = renderReference({
      baseUrl: baseUrl(),
      version,
      isOpen: context.settings.auth.kind === 'open',
      hasDashboard: dashboard !== undefined,
      assetVersion: hash.digest('hex').slice(0, 12),
    })
    return {
      '/docs': await compressFile('text/html', 'no-cache', Buffer.from(page)),
      '/docs/reference.css': await compressFile('text/css', A_YEAR, style),
      '/docs/reference.js': await compressFile('text/javascript', A_YEAR, script),
    }
  }

  for (const path of PATHS) {
    app.get(path, async (request, reply) => {
      // Prepared at the first request, because the base URL is known only after the service listens.
      prepared ??= prepare().catch((error) => {
        prepared = undefined
        throw error
      })
      return send(request, reply, (await prepared)[path])
    })
  }
}

async function compressFile(
  type: string,
  cacheControl: string,
  content: Buffer,
): Promise<ReferenceFile> {
  const compressed = await promisify(gzip)(content)
  return { type: `${type}; charset=utf-8`, cacheControl, content, compressed }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: ReferenceFile): FastifyReply {
  const isCompressed = acceptsEncoding(headers['accept-encoding'], 'gzip')
  if (isCompressed) reply.header('Content-Encoding', 'gzip')
  return reply
    .type(file.type)
    .header('Vary', 'Accept-Encoding')
    .header('Cache-Control', file.cacheControl)
    .header('Content-Security-Policy', POLICY)
    .send(isCompressed ? file.compressed : file.content)
}
