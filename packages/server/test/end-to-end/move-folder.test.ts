import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { callerWith, finishUpload, sendUpload } from '@stowage/testing/service/accounts'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { storeLink, storeManyLinks } from '@stowage/testing/service/shop'
import { API, someBytes } from '@stowage/testing/service/upload'

/** Moving this many takes several transactions, so that the kill interrupts the call. */
const ASSETS = 2_000

test('if a kill interrupts the move of a folder, it continues after the restart and leaves what arrived later', async (t) => {
  const deployment = await aDeployment(t)
  const before = await aService(t, {}, deployment)
  await storeManyLinks(before, ASSETS, { path: 'a' })
  await before.close()

  const service = await aServiceProcess(t, { STOWAGE_LOG: 'warn' }, deployment)
  const call = callerWith(service.baseUrl)
  const countIn = async (path: string) => {
    return (await call('GET', `${API}/assets?path=${path}&limit=1&exact_total=true`)).body.meta
      .total
  }
  assert.equal(await countIn('a'), ASSETS)
  const upload = await sendUpload(call, { name: 'open.zip', bytes: someBytes(30), path: 'a/b' })
  const body = { from: 'a', to: 'c' }
  const response = call('POST', `${API}/folders/move`, body).catch(() => undefined)
  await until('some assets are moved', async () => (await countIn('c')) > 0)
  await service.stop('SIGKILL')
  assert.equal(await response, undefined)

  const after = await aService(t, {}, deployment)
  const later = await storeLink(after, { path: 'a' })
  await until('the move has finished', async () => {
    const { data } = (await after.call('GET', `${API}/folders/moves`)).body
    return data[0].status === 'moved'
  })
  const list = async (path: string) => {
    return (await after.call('GET', `${API}/assets?path=${path}&exact_total=true`)).body
  }
  const remaining = await list('a')
  assert.deepEqual([remaining.meta.total, remaining.data[0].id], [1, later.id])
  assert.equal((await list('c')).meta.total, ASSETS)
  assert.equal((await finishUpload(callerWith(after.baseUrl), upload)).path, 'c/b')
})
