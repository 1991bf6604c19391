import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'

/** Reverts the database to the state before the migration that adds identities. */
const OLDER = `drop table identity; delete from migrations
  where name like '%_identity.sql' or name like '%_unfinished_moves.sql'`
const TABLE = `select count(*) as count from sqlite_schema where name = 'identity'`

test('a command of a newer version does not migrate the database of a running service', async (t) => {
  const service = await aServiceProcess(t)
  const { folder } = service.deployment
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  t.after(() => database.close())
  database.exec(OLDER)
  const refused = await stowage({ STOWAGE_DATA: folder }, 'accounts', 'list')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, new RegExp(`process ${service.pid}\\b.*stop it first.*migrate`))
  assert.equal(database.prepare(TABLE).get()?.count, 0)

  await service.stop('SIGTERM')
  const listed = await stowage({ STOWAGE_DATA: folder }, 'accounts', 'list')
  assert.equal(listed.code, 0, listed.stderr)
  assert.match(listed.stdout, /default/)
  assert.equal(database.prepare(TABLE).get()?.count, 1)
})
