import type { TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { cleanUp } from '../machine/clean-up.ts'
import { ensureInstalled } from '../machine/programs.ts'

/** Chromium without its window: it takes a third less CPU. */
export const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
/** The full browser. The headless shell has no PDF viewer. */
export const CHROMIUM = '/usr/bin/chromium'

/** Lets Chromium run as root without background network requests, and saves CPU time. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // The pages of a context share one renderer.
  '--renderer-process-limit=1',
  // Pages are open for seconds: optimizing their code takes longer than it saves.
  '--js-flags=--no-turbofan --no-maglev',
]

export function missingForBrowser(path = HEADLESS_SHELL): Promise<string | undefined> {
  return ensureInstalled(path === CHROMIUM ? 'chromium' : 'chromium-headless-shell')
}

/** Headless Chromium, closed after the test. It resolves the hostname `rebound`, if given, to 127.0.0.1. */
export async function aBrowser(
  t: TestContext,
  { rebound }: { rebound?: string } = {},
): Promise<Browser> {
  const rules = rebound === undefined ? [] : [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]
  const args = [...FLAGS, ...rules]
  const browser = await chromium.launch({ executablePath: HEADLESS_SHELL, args })
  cleanUp(t, () => browser.close())
  return browser
}
