import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { cleanUp } from './clean-up.ts'

const run = promisify(execFile)

const EXECUTABLE = '/usr/bin/chromium'

/** It runs as root too, and calls nobody but the pages that it is told to. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Why there is no browser; undefined when there is. On Debian, root installs it when it is missing. */
export async function whyNoBrowser(): Promise<string | undefined> {
  if (await isThere()) return undefined
  if (process.getuid?.() !== 0) return `${EXECUTABLE} is missing: install Chromium`
  try {
    await run('apt-get', ['update'])
    await run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'])
  } catch (error) {
    return `${EXECUTABLE} is missing and could not be installed: ${error}`
  }
  return (await isThere()) ? undefined : `Chromium was installed, but not as ${EXECUTABLE}`
}

async function isThere(): Promise<boolean> {
  try {
    await access(EXECUTABLE, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Chromium without a window, closed after the test. For it, `rebound` is a name of this machine. */
export async function aBrowser(t: TestContext, { rebound }: { rebound: string }): Promise<Browser> {
  const args = [...FLAGS, `--host-resolver-rules=MAP ${rebound} 127.0.0.1`]
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args })
  cleanUp(t, () => browser.close())
  return browser
}
