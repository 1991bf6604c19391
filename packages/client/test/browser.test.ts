import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { aPage } from './support/page.ts'
import { aProxiedService } from './support/proxied-service.ts'
import { anUnreliableConnection } from './support/unreliable-connection.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const NO_BROWSER = await missingForBrowser()
const UPLOADS = 10
const MAX_PARTS = 30
const CHUNK = 10_000

interface Look {
  name: string
  id?: string
  error?: { code: string; message: string }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('10 uploads from a browser over an unreliable connection are each stored completely and exactly once', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const seed = seedOf('FAULT_SEED')
  t.diagnostic(`FAULT_SEED=${seed} repeats the random choices`)
  const random = aRandom(seed)
  const connection = anUnreliableConnection(random)
  const { baseUrl, api } = await aProxiedService(t, {
    settings: {
      STOWAGE_AUTH: 'keys',
      STOWAGE_ADMIN_KEY: ADMIN_KEY,
      STOWAGE_CHUNK_SIZE: String(CHUNK),
    },
    api: connection.fault(false),
    storage: connection.fault(true),
  })
  const folder = await aFolder(t)
  const files = new Map<string, string>()
  for (let index = 0; index < UPLOADS; index += 1) {
    const parts = 1 + Math.round((index / (UPLOADS - 1)) * (MAX_PARTS - 1))
    const size = random.between((parts - 1) * CHUNK, parts * CHUNK) + 1
    const bytes = someBytes(size, index + 1)
    files.set(`${index}.bin`, sha256(bytes))
    await writeFile(join(folder, `${index}.bin`), bytes)
  }
  const { choose, call } = await aPage(t, 'client.js')
  await choose(...[...files.keys()].map((name) => join(folder, name)))
  const retry = { firstMs: 5, longestMs: 50 }
  const limits = { stallMs: 1_000, timeoutMs: 2_500 }
  await call('start', { baseUrl: api.url, apiKey: ADMIN_KEY, retry, ...limits })
  const look = () => call<Look[]>('look')
  const isOver = (uploads: Look[]) => uploads.every(({ id, error }) => id ?? error)
  await until('all uploads have ended', async () => isOver(await look()), 120_000)
  t.diagnostic(JSON.stringify(connection.counts))
  connection.stopFaults()

  const uploads = await look()
  assert.deepEqual(
    uploads.filter(({ error }) => error),
    [],
  )
  const { client } = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  for (const { id = '', name } of uploads) {
    const stored = await (await client.download(id)).arrayBuffer()
    assert.equal(sha256(new Uint8Array(stored)), files.get(name))
  }
  const assets = await Array.fromAsync(client.assets())
  assert.deepEqual(assets.map(({ id }) => id).sort(), uploads.map(({ id }) => id).sort())
  assert.equal((await client.account()).reserved, 0)
  assert.deepEqual(await call('unfinished'), [])
})
