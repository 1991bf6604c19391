import { openSqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts'

/* A process that opens a database file, and so migrates it with the migrations of a folder. */
const [file = '', migrations = ''] = process.argv.slice(2)
const database = await openSqliteDatabase({ file }, { migrations })
await database.close()
