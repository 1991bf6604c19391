import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const CHUNK = 50_000
const BYTES = someBytes(10 * CHUNK)

test('if two clients upload the same file, the slower one resolves with the same asset', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isBlocking = true
  let blocked = 0
  const { api, baseUrl } = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK) },
    storage({ method }): Fault {
      if (method !== 'PUT' || !isBlocking) return { kind: 'pass' }
      blocked += 1
      return { kind: 'wait', until: released }
    },
  })
  const { client: slow, folder, stateFolder } = await aClient(t, { baseUrl: api.url })
  const { client: quick } = await aClient(t, { baseUrl: api.url, stateFolder })
  const path = join(folder, 'export.csv')
  await writeFile(path, BYTES)
  const slower = slow.upload(path)
  await until('the parts of the slower one are blocked', () => blocked >= 4)
  isBlocking = false
  const asset = await quick.upload(path)
  release()
  assert.deepEqual(await slower, asset)
  assert.equal(asset.id, slower.id)
  assert.ok((await download(baseUrl, asset.id)).equals(BYTES))
  assert.equal((await slow.assets().page()).meta.total, 1)
  assert.deepEqual(await slow.unfinished(), [])
})

test('if several clients start to upload the same file at the same time, all resolve with one asset', async (t) => {
  const { baseUrl } = await aProxiedService(t, { settings: {} })
  const { client: first, folder, stateFolder } = await aClient(t, { baseUrl })
  const { client: second } = await aClient(t, { baseUrl, stateFolder })
  const { client: third } = await aClient(t, { baseUrl, stateFolder })
  for (let round = 1; round <= 5; round += 1) {
    const path = join(folder, `${round}.csv`)
    await writeFile(path, BYTES)
    const assets = await Promise.all([first, second, third].map((client) => client.upload(path)))
    assert.equal(new Set(assets.map(({ id }) => id)).size, 1)
    assert.equal((await first.assets().page()).meta.total, round)
  }
  assert.deepEqual(await first.unfinished(), [])
  // Once it is stored, uploading the file again creates another asset.
  await first.upload(join(folder, '1.csv'))
  assert.equal((await first.assets().page()).meta.total, 6)
})
