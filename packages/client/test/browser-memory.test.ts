import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { watchMemory } from '@stowage/testing/machine/memory-watch'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import type { Page } from 'playwright-core'
import { aClient } from './support/client.ts'
import { aPage } from './support/page.ts'

/* Runs alone: it measures the memory of a browser. */

const NO_BROWSER = await missingForBrowser()
/** Set STOWAGE_TEST_BYTES=2000000000 for a larger file. */
const SIZE = Number(process.env.STOWAGE_TEST_BYTES ?? 300_000_000)
const LIMIT = 200_000_000
const LONG_MS = 600_000

/** Returns the IDs of the processes of the pages. */
async function listPageProcesses(page: Page): Promise<number[]> {
  const session = await page.context().browser()?.newBrowserCDPSession()
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {}
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

test('uploading a large file takes less than 200 MB of memory in the tab', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { baseUrl } = await aServiceProcess(t, {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
  })
  const path = join(await aFolder(t), 'film.mov')
  const file = await open(path, 'w')
  await file.truncate(SIZE)
  await file.close()
  const { page, choose, call } = await aPage(t, 'client.js')
  const watches = (await listPageProcesses(page)).map((pid) => watchMemory(pid))
  assert.ok(watches.length > 0)
  const begin = performance.now()
  await choose(path)
  await call('start', { baseUrl, apiKey: ADMIN_KEY })
  const look = async () => (await call<{ id?: string; error?: unknown }[]>('look'))[0] ?? {}
  await until(
    'the upload has ended',
    async () => {
      const { id, error } = await look()
      return (id ?? error) !== undefined
    },
    LONG_MS,
  )
  for (const watch of watches) watch.close()
  const peaks = watches.map((watch) => watch.takePeak().peak)
  const seconds = (performance.now() - begin) / 1000
  t.diagnostic(`${peaks.map((peak) => Math.round(peak / 1e6))} MB, ${seconds.toFixed(1)} s`)
  const { id, error } = await look()
  assert.equal(error, undefined)
  const { client } = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  assert.equal((await client.asset(id ?? '')).bytes, SIZE)
  assert.ok(Math.max(...peaks) < LIMIT, `${peaks}`)
})
