import { backup, DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../../process/data-folder.ts'
import { connect } from './connection.ts'

/** How many pages are copied at a time, 4 KiB each. */
const PAGES = 2_000

/**
 * Copies the database while other processes use it. The copy is a single file, which can be read without writing next to it.
 * Throws if the copy is damaged.
 */
export async function copySqliteFile(
  file: string,
  target: string,
  onProgress: (part: number) => void,
): Promise<void> {
  const source = connect(file, { readOnly: true })
  try {
    // In its own read transaction, the copy does not start over when the service writes.
    source.exec('begin')
    source.prepare('select count(*) from sqlite_schema').get()
    createPrivateFile(target)
    await backup(source, target, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    })
  } finally {
    source.close()
  }
  makeSingleFile(target)
}

/** Makes a database that is not open one file, which can be read without writing next to it. Throws if it is damaged. */
export function makeSingleFile(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma journal_mode = delete')
    const [result] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})
    if (result !== 'ok') throw new Error(`the database is damaged: ${result}`)
  } finally {
    database.close()
  }
}
