import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { FLAGS, HEADLESS_SHELL } from './browser.ts'

const launching = new Map<string, Promise<Browser>>()
after(() => Promise.all(Array.from(launching.values(), async (browser) => (await browser).close())))

/** Headless Chromium, shared by all tests of a process. It closes after the last of them. */
export function sharedBrowser(executablePath = HEADLESS_SHELL): Promise<Browser> {
  const browser = launching.get(executablePath) ?? chromium.launch({ executablePath, args: FLAGS })
  launching.set(executablePath, browser)
  return browser
}
