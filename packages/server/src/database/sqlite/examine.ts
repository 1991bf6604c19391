import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Finding } from '../../domain/finding.ts'
import { examineMigrations } from '../migrate.ts'
import { connect, listApplied, MIGRATIONS } from './connection.ts'

/** Looks at the file, while the service runs or not; changes nothing. */
export async function* examineSqlite({ file }: { file: string }): AsyncIterable<Finding> {
  const about = 'database'
  if (!existsSync(file)) {
    const says = `there is no ${file} yet; the service makes it when it starts`
    yield { about, verdict: 'pending', says }
    return
  }
  try {
    const database = connect(file, { readOnly: true })
    try {
      yield examineFile(database, file)
      yield await examineMigrations(listApplied(database), MIGRATIONS)
    } finally {
      database.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const says = `${file} is not a database that can be read: ${reason}`
    yield { about, verdict: 'wrong', says, remedy: 'restore it from a backup' }
  }
}

function examineFile(database: DatabaseSync, file: string): Finding {
  const rows = database.prepare('pragma quick_check(20)').all()
  const problems = rows.map((row) => String(row.quick_check)).filter((text) => text !== 'ok')
  if (problems.length === 0) {
    return { about: 'database', verdict: 'well', says: `SQLite: ${file} is whole` }
  }
  return {
    about: 'database',
    verdict: 'wrong',
    says: `${file} is damaged`,
    items: problems,
    remedy: `restore it from a backup, or try: sqlite3 ${file} .recover | sqlite3 recovered.db`,
  }
}
