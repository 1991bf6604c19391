import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Finding } from '../../domain/finding.ts'
import { examineMigrations } from '../migrate.ts'
import { connect } from './connection.ts'
import { listApplied, MIGRATIONS } from './migrations.ts'

/** Checks the file without changing it. The service may be running. */
export async function* examineSqlite({ file }: { file: string }): AsyncIterable<Finding> {
  const check = 'database'
  if (!existsSync(file)) {
    const message = `${file} does not exist yet; the service creates it when it starts`
    const remedy = 'if a service is already running, set STOWAGE_DATA to its data folder'
    yield { check, status: 'pending', message, remedy }
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
    const message = `${file} is not a readable database: ${reason}`
    yield { check, status: 'error', message, remedy: 'restore it from a backup' }
  }
}

function examineFile(database: DatabaseSync, file: string): Finding {
  const rows = database.prepare('pragma quick_check(20)').all()
  const problems = rows.map((row) => String(row.quick_check)).filter((text) => text !== 'ok')
  if (problems.length === 0) {
    return { check: 'database', status: 'ok', message: `SQLite: ${file} is intact` }
  }
  return {
    check: 'database',
    status: 'error',
    message: `${file} is damaged`,
    items: problems,
    remedy: `restore it from a backup, or try: sqlite3 ${file} .recover | sqlite3 recovered.db`,
  }
}
