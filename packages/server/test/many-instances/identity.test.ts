import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder } from '../support/clean-up.ts'
import { aFailedStart } from '../support/failed-start.ts'
import { withSharedEngines } from '../support/shared-engines.ts'
import { stowage } from '../support/stowage-command.ts'
import { download, someBytes, uploadFile } from '../support/upload.ts'

await withSharedEngines('identity', (engines) => {
  test('instances that start at once bind one storage, and another bucket is refused', async (t) => {
    const place = await engines.place(t)
    const instances = await Promise.all(Array.from({ length: 6 }, () => place.start()))
    const { storageId } = await place.database.readIdentity()
    assert.ok(storageId)
    const bytes = someBytes(10)
    const { id } = await uploadFile(instances[0]?.baseUrl ?? '', { bytes })
    await place.start()

    const other = await engines.place(t)
    const mistyped = { ...place.settings, STOWAGE_STORAGE: other.settings.STOWAGE_STORAGE ?? '' }
    const refused = await aFailedStart(mistyped)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /the storage has no identity/)

    const bucket = place.settings.STOWAGE_STORAGE ?? ''
    const prefixed = await aFailedStart({ ...place.settings, STOWAGE_STORAGE: `${bucket}/prefix` })
    assert.match(prefixed.stderr, /the storage has no identity/)

    const stranger = { ...other.settings, STOWAGE_STORAGE: bucket }
    const foreign = await aFailedStart(stranger)
    assert.match(foreign.stderr, /the storage belongs to the database/)

    await Promise.all(instances.map((instance) => instance.stop('SIGTERM')))
    const adopted = await stowage(stranger, 'adopt', '--yes')
    assert.equal(adopted.code, 0, adopted.stderr)
    const adopter = await place.start(stranger)
    assert.ok(adopter)
    const back = await aFailedStart(place.settings)
    assert.match(back.stderr, /the storage belongs to the database/)
    assert.equal((await stowage(place.settings, 'adopt', '--yes')).code, 0)
    const last = await place.start()
    assert.deepEqual(await download(last.baseUrl, id), bytes)
  })

  test('a second machine with a folder of its own on the same PostgreSQL is refused', async (t) => {
    const { settings } = await engines.place(t)
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
