import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sharedBrowser } from '@stowage/testing/browser/shared-browser'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import type { Page } from 'playwright-core'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('../../../../examples/', import.meta.url))

/** Runs an example as a process, and returns its output. */
export async function runExample(
  [command, path, ...words]: [command: string, path: string, ...words: string[]],
  settings: Record<string, string>,
): Promise<string> {
  const env = { ...process.env, ...settings }
  const { stdout } = await run(command, [`${FOLDER}${path}`, ...words], { env })
  return stdout.trim()
}

/** Starts `npm run example`, and returns the URL of its page. */
async function serveExample(
  t: TestContext,
  name: string,
  settings: Record<string, string>,
): Promise<string> {
  const child = spawn(process.execPath, [`${FOLDER}serve.js`, name], {
    env: { ...process.env, ...settings, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  cleanUp(t, async () => {
    child.kill()
    await exited
  })
  const [greeting] = await once(child.stdout, 'data')
  return /http\S+/.exec(`${greeting}`)?.[0] ?? ''
}

export interface ExamplePage {
  page: Page
  /** The origins of all requests of the page. */
  origins: Set<string>
  /** The messages of uncaught errors in the page. */
  problems: string[]
}

/** Opens the page of an example in a real browser. */
export async function anExamplePage(
  t: TestContext,
  name: string,
  settings: Record<string, string>,
): Promise<ExamplePage> {
  const url = await serveExample(t, name, settings)
  const browser = await sharedBrowser()
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } })
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  const origins = new Set<string>()
  const problems: string[] = []
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(url)
  return { page, origins, problems }
}
