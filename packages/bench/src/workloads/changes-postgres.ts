import { startPostgres } from '@stowage/testing/engines/postgres'
import { administer } from '../catalog/postgres.ts'
import { CHANGE_METRICS, CHANGE_TARGETS, changeContenders } from '../load/measure-changes.ts'
import type { Workload } from '../workload.ts'

export const workload: Workload = {
  title: 'Sessions and completions on PostgreSQL and disk, 16 clients',
  metrics: CHANGE_METRICS,
  targets: CHANGE_TARGETS,
  seconds: 3,
  rounds: 5,
  async open(context) {
    const server = await startPostgres()
    context.defer(server.close)
    let count = 0
    return changeContenders(context, async () => {
      count += 1
      const name = `changes_${count}`
      await administer(server.url, (sql) => sql.unsafe(`create database ${name}`))
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return { STOWAGE_DATABASE: url.href }
    })
  },
}
