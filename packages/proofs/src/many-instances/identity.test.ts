import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { callJson } from '@stowage/testing/service/service'
import { aFailedStart } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import { API, download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { withSharedEngines } from './shared-engines.ts'

function call(instance: { baseUrl: string } | undefined, path: string, body?: unknown) {
  return callJson(`${instance?.baseUrl}${API}${path}`, { method: 'POST', body })
}

await withSharedEngines('identity', (engines) => {
  test('instances that start at the same time bind to one storage, and another bucket is refused', async (t) => {
    const deployment = await engines.deploy(t)
    const instances = await Promise.all(Array.from({ length: 4 }, () => deployment.start()))
    const { storageId } = await deployment.database.readIdentity()
    assert.ok(storageId)
    // All instances use the same key for the secrets of webhooks.
    assert.match((await deployment.database.readSecretKeyId()) ?? '', /^[0-9a-f]{16}$/)
    const webhook = await call(instances[0], '/webhooks', { url: 'http://127.0.0.1:1' })
    for (const instance of instances) {
      const { data } = (await call(instance, `/webhooks/${webhook.body.data.id}/ping`)).body
      assert.match(data.attempts[0].error, /ECONNREFUSED|private address/)
    }
    const bytes = someBytes(10)
    const { id } = await uploadFile(instances[0]?.baseUrl ?? '', { bytes })
    await deployment.start()

    const other = await engines.deploy(t)
    const mistyped = {
      ...deployment.settings,
      STOWAGE_STORAGE: other.settings.STOWAGE_STORAGE ?? '',
    }
    const refused = await aFailedStart(mistyped)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /the storage has no identity/)

    const bucket = deployment.settings.STOWAGE_STORAGE ?? ''
    const prefixed = await aFailedStart({
      ...deployment.settings,
      STOWAGE_STORAGE: `${bucket}/prefix`,
    })
    assert.match(prefixed.stderr, /the storage has no identity/)

    const otherDatabase = { ...other.settings, STOWAGE_STORAGE: bucket }
    const taken = await aFailedStart(otherDatabase)
    assert.match(taken.stderr, /the storage belongs to the database/)

    await Promise.all(instances.map((instance) => instance.stop('SIGTERM')))
    const adopted = await stowage(otherDatabase, 'adopt', '--yes')
    assert.equal(adopted.code, 0, adopted.stderr)
    const adopter = await deployment.start(otherDatabase)
    assert.ok(adopter)
    const back = await aFailedStart(deployment.settings)
    assert.match(back.stderr, /the storage belongs to the database/)
    assert.equal((await stowage(deployment.settings, 'adopt', '--yes')).code, 0)
    const last = await deployment.start()
    assert.deepEqual(await download(last.baseUrl, id), bytes)
  })

  test('a second machine with its own data folder on the same PostgreSQL database is refused', async (t) => {
    const { settings } = await engines.deploy(t)
    const own = async () => ({
      STOWAGE_DATABASE: settings.STOWAGE_DATABASE ?? '',
      STOWAGE_DATA: await aFolder(t),
    })
    const machines = await Promise.allSettled(
      [own(), own(), own()].map(async (machine) => {
        const { stderr } = await aFailedStart(await machine)
        return stderr
      }),
    )
    const refusals = machines.filter(({ status }) => status === 'fulfilled')
    assert.equal(refusals.length, 2)
    for (const refusal of refusals) {
      const { value } = refusal as PromiseFulfilledResult<string>
      assert.match(value, /the database belongs to the storage|the storage has no identity/)
    }
  })
})
