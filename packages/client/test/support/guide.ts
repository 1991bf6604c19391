import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { aServedPage, pageWithScript } from './page.ts'

const GUIDE = new URL('../../../../docs/browser.md', import.meta.url)
/** The code of the guide is bundled as if it were in this folder, so that it finds the packages of this repository. */
const FOLDER = fileURLToPath(new URL('../', import.meta.url))

type Handler = (request: Request) => Promise<Response>
export type Backend = Record<string, Handler>

/** The code of docs/browser.md, by the name in its first line. */
export async function guideCode(name: string): Promise<string> {
  const code = new RegExp(`\`\`\`js\n// ${name}\n(.*?)\`\`\``, 's').exec(
    await readFile(GUIDE, 'utf8'),
  )?.[1]
  if (code === undefined) throw new Error(`docs/browser.md has no ${name}`)
  return code
}

/** Imports a backend of the guide, with these settings. */
export async function importBackend(
  t: TestContext,
  name: string,
  settings: Record<string, string>,
): Promise<Backend> {
  const { outputFiles } = await build({
    stdin: { contents: await guideCode(name), resolveDir: FOLDER },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  const file = join(await aFolder(t), 'backend.mjs')
  const given = JSON.stringify({ ...settings })
  const code = `${outputFiles[0]?.text}`.replaceAll('process.env', `(${given})`)
  await writeFile(file, code)
  return import(pathToFileURL(file).href)
}

/** Opens a page with a script of the guide, which defines `upload`. Also serves the routes of its backend. */
export async function aGuidePage(
  t: TestContext,
  { script, routes }: { script: string; routes: Record<string, Handler | undefined> },
): Promise<Page> {
  const contents = `${await guideCode(script)}\nglobalThis.upload = upload`
  const html = await pageWithScript({ stdin: { contents, resolveDir: FOLDER } })
  return aServedPage(t, async (message, reply) => {
    const path = message.url ?? ''
    const handler = Object.entries(routes).find(([route]) => path.startsWith(route))?.[1]
    if (handler === undefined) {
      reply.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
      return
    }
    const response = await handler(await requestOf(message))
    reply.writeHead(response.status, Object.fromEntries(response.headers))
    reply.end(Buffer.from(await response.arrayBuffer()))
  })
}

async function requestOf(message: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = message
  const body = Buffer.concat(await Array.fromAsync(message))
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, `${value}`]),
    ...(method !== 'GET' && { body }),
  })
}
