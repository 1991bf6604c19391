import type { TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { cleanUp } from '../machine/clean-up.ts'
import { installed } from '../machine/ensure-installed.ts'

export const EXECUTABLE = '/usr/bin/chromium'

/** It runs as root too, and calls nobody but the pages that it is told to. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export function whyNoBrowser(): Promise<string | undefined> {
  return installed({ command: EXECUTABLE, packages: ['chromium'] })
}

/** Chromium without a window, closed after the test. For it, `rebound` is a name of this machine. */
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
