import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { cleanUp } from '../machine/clean-up.ts'
import { freePort } from '../machine/ports.ts'
import { FLAGS, HEADLESS_SHELL } from './browser.ts'

const launching = new Map<string, Promise<Browser>>()
after(() => Promise.all(Array.from(launching.values(), async (browser) => (await browser).close())))

/** Headless Chromium, shared by all tests of a process. It closes after the last of them. */
export function sharedBrowser(executablePath = HEADLESS_SHELL): Promise<Browser> {
  const browser = launching.get(executablePath) ?? chromium.launch({ executablePath, args: FLAGS })
  launching.set(executablePath, browser)
  return browser
}

/** The events of a context that tests listen to. */
const EVENTS = ['console', 'dialog', 'page', 'request', 'requestfinished', 'weberror'] as const

interface Reused {
  context: BrowserContext
  /** Stays open between tests, so that Chromium keeps the renderer of the context. */
  keeper: Page
}

let choosing: Promise<number> | undefined
let opening: Promise<Reused> | undefined

/**
 * The tests of a process serve their pages on this port, one after the other. The scripts then have the same
 * URLs in every test, and Chromium compiles them once.
 */
export function reusedPort(): Promise<number> {
  choosing ??= freePort()
  return choosing
}

/**
 * A browser context for pages on `reusedPort`, with reduced motion. The tests of a process use it one after
 * the other, because starting a renderer and compiling the scripts take longer than most tests. After each
 * test, its pages, listeners, routes, cookies, permissions and stored data are removed, and the context is
 * online again. Init scripts, bindings and a fake clock cannot be removed: they need a context of their own.
 */
export async function aReusedContext(t: TestContext): Promise<BrowserContext> {
  opening ??= open()
  const { context, keeper } = await opening
  cleanUp(t, () => reset({ context, keeper }))
  return context
}

async function open(): Promise<Reused> {
  const browser = await sharedBrowser()
  const baseURL = `http://127.0.0.1:${await reusedPort()}`
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce' })
  const keeper = await context.newPage()
  // Another port of the same host has the same renderer, but its own storage. No server is needed.
  await keeper.route('**', (route) => route.fulfill({ body: 'Keeps the renderer' }))
  await keeper.goto('http://127.0.0.1:1/')
  return { context, keeper }
}

async function reset({ context, keeper }: Reused): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  for (const page of context.pages()) if (page !== keeper) await page.close()
  for (const event of EVENTS) context.removeAllListeners(event)
  await context.setOffline(false)
  await context.clearPermissions()
  // This removes the cookies, too.
  const session = await context.newCDPSession(keeper)
  const origin = `http://127.0.0.1:${await reusedPort()}`
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
}
