import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import { createClient, type NodeClient } from '@stowage/client/node'
import type { Environment } from '@stowage/server/src/config/config'
import { EXECUTABLE, FLAGS } from '@stowage/testing/browser/browser'
import { buildDashboard } from '@stowage/testing/browser/build-dashboard'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

export { whyNoBrowser } from '@stowage/testing/browser/browser'
export { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
export { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
export { until } from '@stowage/testing/machine/until'

const PATIENCE_MS = 90_000

export interface Dashboard {
  /** Not gone anywhere yet: `page.goto('/')`. */
  page: Page
  context: BrowserContext
  service: ServiceProcess
  /** Puts things there behind the page's back, and looks. */
  client: NodeClient
}

export interface DashboardOptions {
  /** In keys mode, false leaves it to the test to sign in. */
  isSignedIn?: boolean
  /** Size, colours, zone and so on. */
  browser?: BrowserContextOptions
}

/**
 * The service with these settings as a process of its own, and a page of its dashboard in a browser
 * that nobody used before. With STOWAGE_AUTH=keys, give an STOWAGE_ADMIN_KEY too. After the test it
 * is an error if the page threw anything, or if it did what its policy forbids.
 */
export async function openDashboard(
  t: TestContext,
  settings: Environment = {},
  options: DashboardOptions = {},
): Promise<Dashboard> {
  await built()
  const problems: string[] = []
  cleanUp(t, () => assert.deepEqual(problems, []))
  const service = await aServiceProcess(t, settings)
  const apiKey = settings.STOWAGE_ADMIN_KEY
  const stateFolder = await aFolder(t)
  const client = createClient({ baseUrl: service.baseUrl, apiKey, stateFolder })
  const browser = await theBrowser()
  const context = await browser.newContext({ baseURL: service.baseUrl, ...options.browser })
  cleanUp(t, () => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  context.on('weberror', (error) => problems.push(`${error.error().stack}`))
  context.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text())
  })
  if (apiKey !== undefined && options.isSignedIn !== false) {
    // Blank pages and frames have no storage.
    await context.addInitScript(
      `if (origin.startsWith('http')) sessionStorage['stowage.key'] = ${JSON.stringify(apiKey)}`,
    )
  }
  return { page: await context.newPage(), context, service, client }
}

/** Once for all tests of a file. */
let building: Promise<void> | undefined
function built(): Promise<void> {
  building ??= buildDashboard()
  return building
}

/** One for all tests of a file: each has a context of its own in it. */
let launching: Promise<Browser> | undefined
function theBrowser(): Promise<Browser> {
  launching ??= chromium.launch({ executablePath: EXECUTABLE, args: FLAGS })
  return launching
}
after(async () => (await launching)?.close())
