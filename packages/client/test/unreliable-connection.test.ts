import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { NodeInput } from '@stowage/client/node'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { callJson } from '@stowage/testing/service/service'
import { API, download, listAll, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { aProxiedService } from './support/proxied-service.ts'
import { anUnreliableConnection } from './support/unreliable-connection.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/** Fewer on the S3 server of the tests, where each upload spends most of its time waiting. */
const UPLOADS = Number(process.env.UNRELIABLE_UPLOADS ?? (areEmbedded ? 40 : 8))
const MAX_PARTS = 30
const CHUNK = 10_000
/**
 * Short, because requests hang on purpose. On a busy machine the S3 server of the tests takes longer to
 * respond than SQLite and disk.
 */
const TIMEOUTS = areEmbedded
  ? { stallMs: 400, timeoutMs: 1_500 }
  : { stallMs: 2_000, timeoutMs: 10_000 }

test(`${UPLOADS} uploads over an unreliable connection are each stored completely and exactly once`, async (t) => {
  const seed = seedOf('FAULT_SEED')
  t.diagnostic(`FAULT_SEED=${seed} repeats the random choices`)
  await uploadOverUnreliableConnection(t, aRandom(seed))
})

async function uploadOverUnreliableConnection(t: TestContext, random: Random): Promise<void> {
  const connection = anUnreliableConnection(random)
  const { baseUrl, api } = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK) },
    api: connection.fault(false),
    storage: connection.fault(true),
  })
  const { client, folder } = await aClient(t, {
    baseUrl: api.url,
    ...TIMEOUTS,
    parallel: 8,
    retry: { firstMs: 5, longestMs: 50 },
  })
  const sent = new Map<string, string>()
  await Promise.all(
    Array.from({ length: UPLOADS }, async (_, index) => {
      // Up to 30 parts, mostly few.
      const parts = Math.ceil(((index % MAX_PARTS) + 1) ** 2 / MAX_PARTS)
      const size = random.between((parts - 1) * CHUNK, parts * CHUNK) + 1
      const bytes = new Uint8Array(someBytes(size, index + 1))
      const name = `${index}.bin`
      let file: NodeInput = new File([bytes], name)
      if (index % 2 === 0) {
        file = join(folder, name)
        await writeFile(file, bytes)
      }
      const { id } = await client.upload(file)
      sent.set(id, createHash('sha256').update(bytes).digest('hex'))
    }),
  )
  t.diagnostic(JSON.stringify(connection.counts))
  connection.stopFaults()
  assert.equal(sent.size, UPLOADS)
  for (const [id, sha256] of sent) {
    const stored = await download(baseUrl, id)
    assert.equal(createHash('sha256').update(stored).digest('hex'), sha256)
  }
  const assets = await listAll(baseUrl)
  assert.deepEqual(new Set(assets.map(({ id }) => id)), new Set(sent.keys()))
  assert.equal(assets.length, UPLOADS)
  const { body } = await callJson(`${baseUrl}${API}/account`, { method: 'GET' })
  assert.equal(body.data.reserved, 0)
  assert.deepEqual(await client.unfinished(), [])
}
