import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { RouteGroup } from './route-group.ts'

const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Stowage API</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
})
`

/** Nothing comes from outside. Swagger UI styles its elements itself and draws icons from data. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The API reference. It is a page for people, not a call of the interface. */
export const referenceRoutes: RouteGroup = (app) => {
  app.get('/docs', async (_request, reply) => page(reply, 'text/html; charset=utf-8', PAGE))
  app.get('/docs/start.js', async (_request, reply) =>
    page(reply, 'text/javascript; charset=utf-8', START),
  )
  for (const [name, type] of Object.entries(FILES)) {
    app.get(`/docs/${name}`, async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=86400')
      return page(reply, type, await readReferenceFile(name))
    })
  }
}

function page(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply.type(type).header('Content-Security-Policy', POLICY).send(content)
}

async function readReferenceFile(name: string): Promise<Buffer> {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  return readFile(join(dirname(manifest), name))
}
