import { createHash } from 'node:crypto'
import { constants, copyFile, glob, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MIGRATIONS } from '@stowage/server/src/database/sqlite/migrations'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'
import { CACHE_FOLDER } from '../processes/cache.ts'
import { fill } from './fill.ts'

const RECORDS = fileURLToPath(new URL('./records.ts', import.meta.url))

/** Large, as each transaction rewrites pages of every index. */
const BATCH = 100_000

/** Copies a database with `count` assets into a data folder. It is created once and cached. */
export async function copyFilled(folder: string, count: number): Promise<string> {
  const filled = join(CACHE_FOLDER, 'bench-assets', `${count}-${await fingerprint()}.db`)
  if (!(await exists(filled))) await create(filled, count)
  const file = join(folder, 'stowage.db')
  await copyFile(filled, file, constants.COPYFILE_FICLONE)
  return file
}

async function create(filled: string, count: number): Promise<void> {
  const unfinished = `${filled}.unfinished`
  await mkdir(join(CACHE_FOLDER, 'bench-assets'), { recursive: true })
  for (const end of ['', '-wal', '-shm']) await rm(unfinished + end, { force: true })
  const database = await openSqliteDatabase({ file: unfinished })
  await fill(database, { count, batch: BATCH })
  await database.close()
  await rename(unfinished, filled)
}

/** Changes when the schema or the rows change. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const migrations = await Array.fromAsync(glob(join(MIGRATIONS, '*.sql')))
  for (const file of [...migrations.sort(), RECORDS]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}
