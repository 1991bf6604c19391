import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { API, requestSession, someBytes } from '@stowage/testing/service/upload'
import type { Database } from '../../../src/database/database.ts'
import { EngineUnavailable } from '../../../src/domain/errors.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const FILE = { name: 'file.bin', size: 25 }

async function reservedBy({ call }: TestService): Promise<number> {
  return (await call('GET', `${API}/account`)).body.data.reserved
}

/** The database reserves the bytes, but its response is lost. */
function losingReservations(database: Database): Database {
  return {
    ...database,
    of(accountId) {
      const data = database.of(accountId)
      return {
        ...data,
        async reserveUpload(upload) {
          await data.reserveUpload(upload)
          throw new EngineUnavailable('database', new Error('the connection broke'))
        },
      }
    },
  }
}

test('a reservation whose response is lost is released, unless an Idempotency-Key lets a retry find it', async (t) => {
  const service = await aService(t)
  const { database } = service.context
  service.context.database = losingReservations(database)
  assert.equal((await service.call('POST', `${API}/assets/signed`, FILE)).status, 503)
  assert.equal(await reservedBy(service), 0)
  const key = { 'Idempotency-Key': 'once' }
  assert.equal((await service.call('POST', `${API}/assets/signed`, FILE, key)).status, 503)
  assert.equal(await reservedBy(service), 25)
  service.context.database = database
  const again = await service.call('POST', `${API}/assets/signed`, FILE, key)
  assert.deepEqual([again.status, again.body.urls.length], [201, 1])
  assert.equal(await reservedBy(service), 25)
  await assertUsageConsistent(service)
})

test('changing the size returns 503 if the storage never finds the uploads that it opened', async (t) => {
  const service = await aService(t)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { storage } = service.context
  let opened = 0
  service.context.storage = {
    ...storage,
    listParts: async () => undefined,
    findObject: async () => undefined,
    createUpload: (upload) => {
      opened += 1
      return storage.createUpload(upload)
    },
  }
  const { status, body } = await service.call('PATCH', `${API}/assets/${session.id}/upload`, {
    size: 30,
  })
  assert.deepEqual([status, body.code], [503, 'storage_unavailable'])
  assert.ok(opened < 5, `${opened} uploads were opened`)
  service.context.storage = storage
})
