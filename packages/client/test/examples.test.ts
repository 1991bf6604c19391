import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, missingForCurl, skipUnlessCi } from '@stowage/testing/machine/programs'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { anExamplePage, type ExamplePage, runExample } from './support/example.ts'

const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
const NO_BROWSER = await missingForBrowser()

/** A service with a key, and a file to upload. */
async function aServiceWithFile(t: TestContext, { size, chunk }: { size: number; chunk: number }) {
  const { baseUrl, storageUrl } = await aService(t, {
    ...KEYED,
    STOWAGE_CHUNK_SIZE: String(chunk),
  })
  const { client } = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  const path = join(await aFolder(t), 'a film & more.mov')
  const bytes = someBytes(size)
  await writeFile(path, bytes)
  return {
    baseUrl,
    storageUrl,
    path,
    settings: { STOWAGE_URL: baseUrl, STOWAGE_API_KEY: ADMIN_KEY },
    /** Asserts that exactly this file is stored. Returns the ID of its asset. */
    async assertStored(): Promise<string> {
      const { data } = await client.assets().page()
      const names = data.map(({ filename }) => filename)
      assert.deepEqual(names, ['a film & more.mov'])
      const id = data[0]?.id ?? ''
      const stored = await (await client.download(id)).arrayBuffer()
      assert.ok(Buffer.from(stored).equals(bytes))
      assert.equal((await client.account()).reserved, 0)
      return id
    },
  }
}

test('the curl example uploads a file', async (t) => {
  const missing = (await missingForCurl()) ?? (await ensureInstalled('jq'))
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { path, settings, assertStored } = await aServiceWithFile(t, {
    size: 250_000,
    chunk: 100_000,
  })
  const printed = await runExample(['sh', 'curl/upload.sh', path], settings)
  assert.equal(printed, await assertStored())
})

test('the Node example uploads a file', async (t) => {
  const { path, settings, assertStored } = await aServiceWithFile(t, {
    size: 250_000,
    chunk: 100_000,
  })
  const state = { XDG_STATE_HOME: await aFolder(t) }
  const command = [process.execPath, 'node/upload.js', path] as const
  const printed = await runExample([...command], { ...settings, ...state })
  assert.equal(printed, await assertStored())
})

/** The page loaded nothing from other origins and had no uncaught error. */
function assertSelfContained({ page, origins, problems }: ExamplePage, allowed: string[]): void {
  const known = new Set([new URL(page.url()).origin, ...allowed.map((url) => new URL(url).origin)])
  assert.deepEqual(
    [...origins].filter((origin) => !known.has(origin) && origin !== 'null'),
    [],
  )
  assert.deepEqual(problems, [])
}

test('the browser example uploads a file', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const service = await aServiceWithFile(t, { size: 250_000, chunk: 100_000 })
  const example = await anExamplePage(t, 'browser', service.settings)
  const { page } = example
  await page.getByLabel('Files').setInputFiles(service.path)
  const text = await page.getByText(/asset \S+/).textContent()
  assert.equal(/asset (\S+)/.exec(text ?? '')?.[1], await service.assertStored())
  assertSelfContained(example, [service.baseUrl, service.storageUrl])
})

test('the Uppy example uploads a file', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const service = await aServiceWithFile(t, { size: 40_000_000, chunk: 100_000_000 })
  const example = await anExamplePage(t, 'uppy', service.settings)
  const { page } = example
  await page.locator('.uppy-Dashboard-input').first().setInputFiles(service.path)
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByText('Complete', { exact: true }).waitFor()
  assertSelfContained(example, [service.baseUrl, service.storageUrl])
  await service.assertStored()
})
