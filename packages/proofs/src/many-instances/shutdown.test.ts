import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAccount, reserve } from '@stowage/server/src/database/contract/builders'
import { until } from '@stowage/testing/machine/until'
import { isRefused } from '@stowage/testing/service/connections'
import { untilEnded } from '@stowage/testing/service/service-process'
import { complete, putParts, requestSession, someBytes } from '@stowage/testing/service/upload'
import { aHoldingProxy } from './holding-proxy.ts'
import { withSharedEngines } from './shared-engines.ts'

await withSharedEngines('shutdown', (engines) => {
  test('after SIGTERM, an instance accepts no more requests, finishes the removals in progress and ends', async (t) => {
    const deployment = await engines.deploy(t)
    const account = await anAccount(deployment.database, 'default', 100_000)
    const data = deployment.database.of(account.id)
    for (let index = 0; index < 20; index += 1) {
      const { upload } = await reserve(data)
      await data.cancelUpload(upload.asset.id)
    }
    const due = (await deployment.database.listRemovals(100)).length
    const proxy = await aHoldingProxy(t, deployment.settings.STOWAGE_S3_ENDPOINT ?? '', 'DELETE')
    const instance = await deployment.start({ STOWAGE_S3_ENDPOINT: proxy.url })
    await until('removals are in progress', () => proxy.held() > 0)
    const ended = instance.stop('SIGTERM')
    await until('the instance refuses new connections', () => isRefused(instance.baseUrl))
    proxy.release()
    await untilEnded(instance)
    assert.equal(await ended, 0)
    assert.equal((await deployment.database.listRemovals(100)).length, due - 8)
  })

  test('SIGTERM ends an instance whose storage never responds to a completion', async (t) => {
    const deployment = await engines.deploy(t)
    const other = await deployment.start()
    const bytes = someBytes(5)
    const session = await requestSession(other.baseUrl, { bytes })
    await putParts(session, bytes)
    const proxy = await aHoldingProxy(t, deployment.settings.STOWAGE_S3_ENDPOINT ?? '', 'POST')
    const instance = await deployment.start({ STOWAGE_S3_ENDPOINT: proxy.url })
    const cut = assert.rejects(complete(instance.baseUrl, session))
    await until('the completion waits', () => proxy.held() > 0)
    const ended = instance.stop('SIGTERM')
    await cut
    await untilEnded(instance)
    assert.equal(await ended, 0)
    // Nothing is lost: another instance completes the upload.
    assert.equal((await complete(other.baseUrl, session)).status, 200)
  })
})
