import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { CHROMIUM, FLAGS, missingForBrowser } from '@stowage/testing/browser/browser'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { chromium } from 'playwright-core'
import { aSale, HOURS, NAME, type Sale } from './long-sale.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Download 2 GB in 400 ranges. All tests together need more than Ceph has in memory:
 *
 *     LONG_BYTES=2000000000 LONG_RANGES=400 TEST_TIMEOUT_MS=3600000 CEPH_DISK=24000000000 npx node \
 *       packages/testing/src/stages/on-engines.ts postgres+ceph packages/proofs/src/orders/long-download.test.ts
 */
const RANGES = Number(process.env.LONG_RANGES ?? 100)

const run = promisify(execFile)
/** Ignores settings and proxies of the machine. */
const CURL = ['--disable', '--noproxy', '*', '--silent', '--show-error', '--location']
const WGET = ['--no-config', '--no-proxy', '--no-verbose', '--waitretry=0', '--tries=0']

/** Browsers, and a single process of wget, resume at the last URL of the redirects. On S3, it must be that of the service. */
const RESUMABLE = isOnS3 ? 'proxy' : 'redirect'

test('curl downloads a file in hundreds of ranges over 20 hours: 1 download counts', async (t) => {
  const sale = await aSale(t, RANGES)
  const missing = await ensureInstalled('curl')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const file = join(await aFolder(t), 'file')
  const url = await sale.press()
  // curl continues where the last attempt ended.
  await repeat(() => run('curl', [...CURL, '--continue-at', '-', '--output', file, url]))
  assert.equal(sale.requests().length, RANGES)
  await sale.checkFile(file)
  await sale.checkEnd(url)
})

test('wget downloads a file in hundreds of ranges over 20 hours: 1 download counts', async (t) => {
  const missing = await ensureInstalled('wget')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const sale = await aSale(t, RANGES, RESUMABLE)
  const file = join(await aFolder(t), 'file')
  const url = await sale.press()
  // One process retries by itself, at the URL that the redirects have led to.
  await run('wget', [...WGET, '--continue', '--output-document', file, url], { maxBuffer: 1e8 })
  assert.equal(sale.requests().length, RANGES)
  await sale.checkFile(file)
  await sale.checkEnd(url)
})

test('wget that is started again and again is redirected to S3: 1 download counts', async (t) => {
  if (!isOnS3) return
  const missing = await ensureInstalled('wget')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const sale = await aSale(t, RANGES)
  const file = join(await aFolder(t), 'file')
  const url = await sale.press()
  await repeat(() => run('wget', [...WGET, '--continue', '--output-document', file, url]))
  // It also retries by itself, at the URL that expires after five minutes.
  const statuses = sale.requests().map(({ status }) => status)
  const rangesOfUrl = Math.ceil((5 * RANGES) / (HOURS * 60))
  const refused = statuses.filter((status) => status === 403)
  assert.ok(refused.length > RANGES / rangesOfUrl / 2, statuses.join(' '))
  assert.equal(statuses.filter((status) => status < 300).length, RANGES)
  await sale.checkFile(file)
  await sale.checkEnd(url)
})

/** Until the program succeeds. */
async function repeat(attempt: () => Promise<unknown>): Promise<void> {
  let attempts = 1
  for (; !(await attempt().then(Boolean, () => false)); attempts += 1) {
    assert.ok(attempts <= RANGES)
  }
}

test('Chromium resumes a download over 20 hours, by itself and at the press of a button: 1 download counts', async (t) => {
  const missing = await missingForBrowser(CHROMIUM)
  if (missing !== undefined) return skipUnlessCi(t, missing)
  // Chromium gives up after six broken connections, and waits for its user.
  const sale = await aSale(t, 20, RESUMABLE)
  const { file, button, press } = await openChromium(t, sale)
  await press()
  let presses = 0
  for (; ; presses += 1) {
    await until('the download is whole or broken', async () => {
      return existsSync(file) || (await button.textContent())?.trim() === 'Resume'
    })
    if (existsSync(file)) break
    await button.evaluate((element: HTMLElement) => element.click())
    await until('it continues', async () => (await button.textContent())?.trim() !== 'Resume')
  }
  t.diagnostic(`${presses} presses of "Resume"`)
  assert.ok(presses > 0)
  await sale.checkFile(file)
  await sale.checkEnd(await sale.press())
})

test('if S3 sends the file, Chromium cannot resume it after five minutes, and starts it again: 1 download counts', async (t) => {
  if (!isOnS3) return
  const missing = await missingForBrowser(CHROMIUM)
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const sale = await aSale(t, 20)
  const { file, press } = await openChromium(t, sale)
  await press()
  await until('S3 refuses the URL', async () => sale.requests().at(-1)?.status === 403)
  const refused = sale.requests().map(({ range, status }) => ({ isWhole: !range, status }))
  assert.deepEqual(refused, [
    { isWhole: true, status: 200 },
    { isWhole: false, status: 403 },
  ])
  assert.equal(existsSync(file), false)
  sale.stopCutting()
  await press()
  await until('the download is whole', async () => existsSync(file))
  assert.deepEqual(sale.requests().slice(2), [{ range: undefined, status: 200 }])
  await sale.checkFile(file)
  await sale.checkEnd(await sale.press(), 2)
})

/** The page of the sale, and the list of the downloads, in a browser that saves them in a folder. */
async function openChromium(t: TestContext, sale: Sale) {
  const folder = await aFolder(t)
  const profile = join(folder, 'profile')
  const options = { executablePath: CHROMIUM, args: FLAGS }
  const context = await chromium.launchPersistentContext(profile, options)
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const behavior = { behavior: 'allow', downloadPath: folder } as const
  await session.send('Browser.setDownloadBehavior', behavior)
  await page.goto(sale.page)
  const downloads = await context.newPage()
  await downloads.goto('chrome://downloads')
  return {
    file: join(folder, NAME),
    /** Pauses or resumes the last download. */
    button: downloads.locator('#pause-or-resume'),
    press: () => page.locator('form button').click(),
  }
}
