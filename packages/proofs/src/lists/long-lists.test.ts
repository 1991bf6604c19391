import { join } from 'node:path'
import { after } from 'node:test'
import { testLongListContract } from '@stowage/server/src/database/database.contract'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'
import { areEmbedded, copySqliteTemplate } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'

/* Runs on sqlite+disk and postgres+disk. */

if (areEmbedded) {
  testLongListContract('sqlite', async (t) => {
    const file = join(await aFolder(t), 'stowage.db')
    await copySqliteTemplate(file)
    const database = await openSqliteDatabase({ file })
    cleanUp(t, () => database.close())
    return database
  })
} else {
  const { aPostgresServer } = await import('@stowage/testing/engines/postgres')
  const { openReusedDatabase } = await aPostgresServer()
  const { database, empty, close } = await openReusedDatabase()
  after(close)
  testLongListContract('postgres', async () => {
    await empty()
    return database
  })
}
