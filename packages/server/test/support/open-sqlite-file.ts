import { openSqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts'

/* A process that opens a database file, and so migrates it. */
const [file = ''] = process.argv.slice(2)
const database = await openSqliteDatabase({ file })
await database.close()
