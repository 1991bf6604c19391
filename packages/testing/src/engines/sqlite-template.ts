import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'

/** Creates a migrated SQLite file, so that tests need not run migrations. Returns its path. */
export async function createSqliteTemplate(folder: string): Promise<string> {
  const file = join(folder, 'template.db')
  const template = await openSqliteDatabase({ file })
  await template.close()
  return file
}

/** Copies the template, if TEST_SQLITE_TEMPLATE is set. Otherwise, opening the file creates and migrates it. */
export async function copySqliteTemplate(file: string): Promise<void> {
  const { TEST_SQLITE_TEMPLATE: template } = process.env
  if (template !== undefined) await copyFile(template, file)
}
