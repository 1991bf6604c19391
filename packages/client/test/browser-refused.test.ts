import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aPage } from './support/page.ts'
import { aProxiedService } from './support/proxied-service.ts'

/* Runs in a shared browser. */

const NO_BROWSER = await missingForBrowser()

interface Look {
  id?: string
  state?: string
  error?: { code: string; message: string }
}

test('if CORS blocks the service or its storage, an upload fails soon and the message names CORS', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { api, baseUrl } = await aProxiedService(t, {
    settings: { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY },
    // These responses have no CORS headers.
    api: () => ({ kind: 'refuse', status: 403 }),
    storage: () => ({ kind: 'refuse', status: 403 }),
  })
  const path = join(await aFolder(t), 'a.bin')
  await writeFile(path, 'some bytes')
  const { choose, call } = await aPage(t, 'client.js')
  await choose(path)
  const retry = { firstMs: 5, longestMs: 50, giveUpAfterMs: 3_600_000 }
  const services: [url: string, message: RegExp][] = [
    [api.url, /No response from http.*CORS/],
    [baseUrl, /No connection to the storage.*CORS/],
  ]
  for (const [url, message] of services) {
    await call('start', { baseUrl: url, apiKey: ADMIN_KEY, retry })
    const look = async () => (await call<Look[]>('look'))[0]?.error
    await until('the upload has failed', async () => (await look()) !== undefined)
    const error = await look()
    assert.equal(error?.code, 'network')
    assert.match(error?.message ?? '', message)
  }
})

test('in a browser, a file whose upload was refused can be uploaded with other options', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { baseUrl } = await aKeyedService(t)
  const path = join(await aFolder(t), 'a.bin')
  await writeFile(path, 'some bytes')
  const { choose, call } = await aPage(t, 'client.js')
  await choose(path)
  const look = async () => (await call<Look[]>('look'))[0] ?? {}
  await call('start', { baseUrl, apiKey: ADMIN_KEY }, { path: '../x' })
  await until('the upload is refused', async () => (await look()).error?.code === 'invalid')
  assert.deepEqual(await call('unfinished'), [])
  await call('start', { baseUrl, apiKey: ADMIN_KEY })
  await until(
    'the upload has ended',
    async () =>
      (await look()).state !== 'waiting' &&
      ((await look()).id ?? (await look()).error) !== undefined,
  )
  assert.deepEqual([(await look()).error, (await look()).state], [undefined, 'ready'])
})
