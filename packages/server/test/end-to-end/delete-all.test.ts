import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { callerWith, finishUpload, sendUpload } from '@stowage/testing/service/accounts'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { assertUsageConsistent, storeLink, storeManyLinks } from '@stowage/testing/service/shop'
import { API, someBytes } from '@stowage/testing/service/upload'

/** Deleting this many takes several transactions, so that the kill interrupts the call. */
const ASSETS = 2_000
const LINK = { filename: 'last.zip', url: 'https://example.com/last.zip' }

test('if a kill interrupts the deletion of all assets, it continues after the restart and keeps assets that became ready later', async (t) => {
  const deployment = await aDeployment(t)
  const before = await aService(t, {}, deployment)
  await storeManyLinks(before, ASSETS)
  await before.close()

  const service = await aServiceProcess(t, { STOWAGE_LOG: 'warn' }, deployment)
  const call = callerWith(service.baseUrl)
  const readReady = async () => (await call('GET', `${API}/account`)).body.data.assets
  assert.equal(await readReady(), ASSETS)
  const upload = await sendUpload(call, { name: 'open.zip', bytes: someBytes(30) })
  // Its ID is higher than that of the upload.
  assert.equal((await call('POST', `${API}/assets/store`, LINK)).status, 201)
  const response = call('POST', `${API}/assets/deleted-all`).catch(() => undefined)
  await until('some assets are deleted', async () => (await readReady()) < ASSETS)
  await service.stop('SIGKILL')
  assert.equal(await response, undefined)

  const after = await aService(t, {}, deployment)
  const completed = await finishUpload(callerWith(after.baseUrl), upload)
  const later = await storeLink(after, { filename: 'later.zip' })
  const listed = async () => (await after.call('GET', `${API}/assets`)).body
  await until('all earlier assets are deleted', async () => (await listed()).meta.total === 2)
  const remaining = (await listed()).data.map((asset: Asset) => asset.id)
  assert.deepEqual(remaining, [later.id, completed.id])
  const trash = await after.call('GET', `${API}/assets?trashed=true&limit=1`)
  assert.equal(trash.body.meta.total, ASSETS + 1)
  await assertUsageConsistent(after)
})
