import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { assertUsageConsistent } from '../../support/shop.ts'
import { replaceFile } from '../../support/versions.ts'

/*
 * Run more and larger replacements:
 *
 *     REPLACEMENTS=200 REPLACED_SIZE=1000000000 npx node --test \
 *       packages/server/test/http/versions/downloads-during-replacements.test.ts
 */
const REPLACEMENTS = Number(process.env.REPLACEMENTS ?? 12)
const SIZE = Number(process.env.REPLACED_SIZE ?? 2_000_000)
const CLIENTS = 16
const CHUNK_SIZE = 5_242_880

/** The whole content tells its version: the first bytes are the seed of the others. */
function contentOf(seed: number): Buffer {
  const bytes = Buffer.from(someBytes(SIZE + seed, seed))
  bytes.writeUInt32BE(seed)
  return bytes
}

test('every download returns one whole version while the file is replaced, and never an older one than before', async (t) => {
  const service = await aService(t, {
    STOWAGE_CHUNK_SIZE: String(Math.min(CHUNK_SIZE, Math.ceil(SIZE / 4))),
    STOWAGE_PLAN_STORAGE: '1TB',
  })
  const { baseUrl } = service
  const { id } = await uploadFile(baseUrl, { bytes: contentOf(1) })
  let current = 1
  let downloads = 0
  let isOver = false

  async function downloadRepeatedly(): Promise<void> {
    while (!isOver) {
      const atLeast = current
      const response = await fetch(`${baseUrl}${API}/assets/${id}/download`)
      assert.equal(response.status, 200)
      const bytes = Buffer.from(await response.arrayBuffer())
      const seed = bytes.readUInt32BE()
      assert.ok(seed >= atLeast, `version ${seed} after version ${atLeast}`)
      assert.ok(bytes.equals(contentOf(seed)), `version ${seed} is mixed or cut`)
      downloads += 1
    }
  }

  const clients = Array.from({ length: CLIENTS }, downloadRepeatedly)
  const replacing = (async () => {
    for (let seed = 2; seed <= REPLACEMENTS + 1; seed += 1) {
      const asset = await replaceFile(service, id, { bytes: contentOf(seed) })
      assert.equal(asset.version, seed)
      current = seed
    }
  })()
  await Promise.race([replacing, Promise.all(clients)])
  isOver = true
  await Promise.all([replacing, ...clients])
  t.diagnostic(`${downloads} downloads during ${REPLACEMENTS} replacements`)
  assert.ok(downloads > 0)
  await assertUsageConsistent(service)
})
