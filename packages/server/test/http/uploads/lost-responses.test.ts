import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { API, requestSession, someBytes } from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'
import { EngineUnavailable } from '../../../src/domain/errors.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const FILE = { name: 'file.bin', size: 25 }

async function reservedBy({ call }: TestService): Promise<number> {
  return (await call('GET', `${API}/account`)).body.data.reserved
}

test('a reservation whose response is lost is released, unless an Idempotency-Key lets a retry find it', async (t) => {
  let isLosing = true
  const wrap = ({ database }: Engines): Pick<Engines, 'database'> => ({
    database: {
      ...database,
      of(accountId) {
        const data = database.of(accountId)
        return {
          ...data,
          async reserveUpload(upload) {
            const reserved = await data.reserveUpload(upload)
            if (!isLosing) return reserved
            throw new EngineUnavailable('database', new Error('the connection broke'))
          },
        }
      },
    },
  })
  const service = await aService(t, {}, undefined, { wrap })
  assert.equal((await service.call('POST', `${API}/assets/signed`, FILE)).status, 503)
  assert.equal(await reservedBy(service), 0)
  const key = { 'Idempotency-Key': 'once' }
  assert.equal((await service.call('POST', `${API}/assets/signed`, FILE, key)).status, 503)
  assert.equal(await reservedBy(service), 25)
  isLosing = false
  const again = await service.call('POST', `${API}/assets/signed`, FILE, key)
  assert.deepEqual([again.status, again.body.urls.length], [201, 1])
  assert.equal(await reservedBy(service), 25)
  await assertUsageConsistent(service)
})

test('changing the size returns 503 if the storage never finds the uploads that it opened', async (t) => {
  let opened = 0
  const wrap = ({ storage }: Engines): Pick<Engines, 'storage'> => ({
    storage: {
      ...storage,
      listParts: async () => undefined,
      findObject: async () => undefined,
      createUpload(upload) {
        opened += 1
        return storage.createUpload(upload)
      },
    },
  })
  const service = await aService(t, {}, undefined, { wrap })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  opened = 0
  const { status, body } = await service.call('PATCH', `${API}/assets/${session.id}/upload`, {
    size: 30,
  })
  assert.deepEqual([status, body.code], [503, 'storage_unavailable'])
  assert.ok(opened < 5, `${opened} uploads were opened`)
})
