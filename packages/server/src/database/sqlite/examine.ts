import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Finding } from '../../domain/finding.ts'
import { examineMigrations } from '../migrate.ts'
import { connect } from './connection.ts'
import { listApplied, MIGRATIONS } from './migrations.ts'

/** Checks the file without changing it. The service may be running. */
export async function* examineSqlite({ file }: { file: string }): AsyncIterable<Finding> {
  const about = 'database'
  if (!existsSync(file)) {
    const says = `${file} does not exist yet; the service creates it when it starts`
    const remedy = 'if a service is already running, set STOWAGE_DATA to its data folder'
    yield { about, verdict: 'pending', says, remedy }
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
    const says = `${file} is not a readable database: ${reason}`
    yield { about, verdict: 'wrong', says, remedy: 'restore it from a backup' }
  }
}

function examineFile(database: DatabaseSync, file: string): Finding {
  const rows = database.prepare('pragma quick_check(20)').all()
  const problems = rows.map((row) => String(row.quick_check)).filter((text) => text !== 'ok')
  if (problems.length === 0) {
    return { about: 'database', verdict: 'well', says: `SQLite: ${file} is intact` }
  }
  return {
    about: 'database',
    verdict: 'wrong',
    says: `${file} is damaged`,
    items: problems,
    remedy: `restore it from a backup, or try: sqlite3 ${file} .recover | sqlite3 recovered.db`,
  }
}
