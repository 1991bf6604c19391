import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// npm run example browser|uppy: bundles the script of the page and serves both.
const [name = ''] = process.argv.slice(2)
const port = Number(process.env.PORT ?? 8080)
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

const server = createServer(({ url }, response) => {
  const [type, content] = RESPONSES[url?.split('?')[0]] ?? []
  if (type === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'Content-Type': type }).end(content)
})
server.listen(port, '127.0.0.1', () => {
  console.log(`The page: http://127.0.0.1:${server.address().port}/`)
})
