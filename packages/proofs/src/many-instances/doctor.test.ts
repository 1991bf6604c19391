import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAccount, aReadyAsset } from '@stowage/server/src/database/contract/builders'
import { stowage } from '@stowage/testing/service/stowage-command'
import postgres from 'postgres'
import { withSharedEngines } from './shared-engines.ts'

/** Makes reading a row as slow as reading thousands of rows. */
const SLOW = `
  create or replace function asset_type(kind text, mime text) returns text
  language plpgsql as $$ begin perform pg_sleep(0.4); return 'archive'; end $$`

await withSharedEngines('doctor', (engines) => {
  test('doctor can read tables for longer than the statement timeout of requests', async (t) => {
    const { settings, database } = await engines.deploy(t)
    const { id } = await anAccount(database, 'default')
    for (let count = 0; count < 5; count += 1) await aReadyAsset(database.of(id))
    const admin = postgres(settings.STOWAGE_DATABASE ?? '', { onnotice: () => {} })
    t.after(() => admin.end())
    await admin.unsafe(SLOW)
    const limited = { ...settings, STOWAGE_DATABASE_TIMEOUT: '1s' }
    const { stdout } = await stowage(limited, 'doctor')
    assert.match(stdout, /^ok +usage: the usage of each account equals the sum of its assets$/m)
    assert.match(stdout, /^ERROR +files: files without an object in the storage: 5 of 5/m)
  })
})
