import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createClient } from '@stowage/client/node'
import { build } from 'esbuild'

// npm run example browser|uppy: bundles the script of the page and serves both. It is also the backend of the page:
// it has the API key, and gives the page an upload token.
const [name = ''] = process.argv.slice(2)
const port = Number(process.env.PORT ?? 8080)
const { STOWAGE_URL: baseUrl = 'http://127.0.0.1:4000', STOWAGE_API_KEY: apiKey } = process.env
const PAGES = ['browser', 'uppy']
if (!PAGES.includes(name))
  throw new Error(`Unknown example. Usage: npm run example ${PAGES.join('|')}`)
const file = (path) => fileURLToPath(new URL(`${name}/${path}`, import.meta.url))

const { outputFiles } = await build({
  entryPoints: [file('upload.js')],
  bundle: true,
  minify: true,
  format: 'esm',
  outdir: '/',
  write: false,
})
const bundled = (end) => outputFiles.find(({ path }) => path.endsWith(end))?.contents ?? ''
const RESPONSES = {
  '/': ['text/html; charset=utf-8', await readFile(file('index.html'))],
  '/upload.js': ['text/javascript', bundled('.js')],
  '/upload.css': ['text/css', bundled('.css')],
}
const stowage = createClient({ baseUrl, apiKey })

/** A real shop creates a token only for visitors who may upload, with limits that fit the purpose. */
async function createToken(origin) {
  const limits = { max_bytes: 100e9, max_files: 100, expires_in: '24h', origin }
  const { token, expires_at } = await stowage.createUploadToken(limits)
  return JSON.stringify({ baseUrl, apiKey: token, expires_at })
}

const server = createServer(async ({ method, url, headers }, response) => {
  const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  const [type, content] = RESPONSES[url?.split('?')[0]] ?? []
  if (method === 'POST' && url === '/token') {
    await createToken(`http://${headers.host}`).then(
      (token) => response.writeHead(201, json).end(token),
      ({ message }) => response.writeHead(502, json).end(JSON.stringify({ message })),
    )
  } else if (type === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'Content-Type': type }).end(content)
})
server.listen(port, '127.0.0.1', () => {
  console.log(`The page: http://127.0.0.1:${server.address().port}/`)
})
