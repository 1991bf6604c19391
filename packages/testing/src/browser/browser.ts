import type { TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { cleanUp } from '../machine/clean-up.ts'
import { ensureInstalled } from '../machine/ensure-installed.ts'

export const EXECUTABLE = '/usr/bin/chromium'

/** Lets Chromium run as root, and turns off its background network requests. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export function missingForBrowser(): Promise<string | undefined> {
  return ensureInstalled({ command: EXECUTABLE, packages: ['chromium'] })
}

/** Headless Chromium, closed after the test. It resolves the hostname `rebound` to this machine. */
export async function aBrowser(
  t: TestContext,
  { rebound }: { rebound?: string } = {},
): Promise<Browser> {
  const rules = rebound === undefined ? [] : [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]
  const args = [...FLAGS, ...rules]
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args })
  cleanUp(t, () => browser.close())
  return browser
}
