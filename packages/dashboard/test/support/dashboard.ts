import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createClient, type NodeClient } from '@stowage/client/node'
import { folder } from '@stowage/dashboard'
import type { Environment } from '@stowage/server/src/config/config'
import { buildDashboard } from '@stowage/testing/browser/build-dashboard'
import { aReusedContext, reusedPort, sharedBrowser } from '@stowage/testing/browser/shared-browser'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { aService, type TestService } from '@stowage/testing/service/service'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

export { CHROMIUM, missingForBrowser } from '@stowage/testing/browser/browser'
export { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
export { skipUnlessCi } from '@stowage/testing/machine/programs'
export { until } from '@stowage/testing/machine/until'

const TIMEOUT_MS = 90_000

/** Slows down the pages by this factor, to find tests that do not wait for the page. */
const SLOWDOWN = Number(process.env.BROWSER_SLOWDOWN ?? 1)

export interface Dashboard {
  /** Empty until the test calls `page.goto('/')`. */
  page: Page
  context: BrowserContext
  service: TestService
  /** For test data and for checks of what the service has stored. */
  client: NodeClient
}

export interface DashboardOptions {
  /** False if the test signs in itself. */
  isSignedIn?: boolean
  /** Time zone, language and so on. The test then has a browser context of its own, which takes longer. */
  browser?: BrowserContextOptions
  /** By default the headless shell. */
  executable?: string
}

/**
 * Starts the service with these settings, and opens a page in a browser context without data. With
 * STOWAGE_AUTH=keys, STOWAGE_ADMIN_KEY is required too. The test fails if the page throws an error or
 * violates its Content Security Policy.
 */
export async function openDashboard(
  t: TestContext,
  settings: Environment = {},
  options: DashboardOptions = {},
): Promise<Dashboard> {
  await ensureBuilt()
  const problems: string[] = []
  cleanUp(t, () => assert.deepEqual(problems, []))
  const port = { STOWAGE_PORT: `${await reusedPort()}` }
  const service = await aService(t, { ...port, ...settings }, undefined, { dashboard: folder })
  const apiKey = settings.STOWAGE_ADMIN_KEY
  const stateFolder = await aFolder(t)
  const client = createClient({ baseUrl: service.baseUrl, apiKey, stateFolder })
  const context = await openContext(t, service.baseUrl, options)
  context.setDefaultTimeout(TIMEOUT_MS)
  context.on('weberror', (error) => problems.push(`${error.error().stack}`))
  context.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text())
  })
  if (apiKey !== undefined && options.isSignedIn !== false) {
    const response = await context.request.post('/api/v1/session', {
      headers: { Authorization: `Bearer ${apiKey}` },
      data: {},
    })
    assert.equal(response.status(), 201)
  }
  const page = await context.newPage()
  if (SLOWDOWN > 1) await slowDown(page)
  return { page, context, service, client }
}

async function openContext(
  t: TestContext,
  baseURL: string,
  { browser: own, executable }: DashboardOptions,
): Promise<BrowserContext> {
  if (own === undefined && executable === undefined) return aReusedContext(t)
  const browser = await sharedBrowser(executable)
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...own })
  cleanUp(t, () => context.close())
  return context
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
}

/** The build, which runs once per process. */
let building: Promise<void> | undefined
function ensureBuilt(): Promise<void> {
  building ??= buildDashboard()
  return building
}

/** Opens another page of the app as a link does, which is much faster than loading the app again. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
}

/** Enters the key in the form. The pattern excludes “API keys” on the settings page, which may still be open. */
export async function signIn(
  page: Page,
  key: string,
  { remember = false }: { remember?: boolean } = {},
): Promise<void> {
  await page.getByLabel(/^API key(?!s)/).fill(key)
  if (remember) await page.getByLabel('Stay signed in for 30 days').check()
  await page.keyboard.press('Enter')
}

/** Presses Escape in the open dialog, once it has the focus: before that, it ignores keys. */
export async function leaveDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').locator(':focus').waitFor()
  await page.keyboard.press('Escape')
}
