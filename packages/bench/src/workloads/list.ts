import { CATALOG_SETTINGS, copyFilled, startFilledPostgres } from '../catalog/filled.ts'
import {
  byId,
  helloWorld,
  LARGE,
  LIST_METRICS,
  LIST_TARGETS,
  listContender,
  SMALL,
} from '../catalog/lists.ts'
import { startPeer } from '../processes/peers.ts'
import { startStowage } from '../processes/servers.ts'
import type { Workload } from '../workload.ts'

export const list: Workload = {
  title: 'Lists on SQLite, 16 clients',
  metrics: LIST_METRICS,
  targets: LIST_TARGETS,
  rounds: 5,
  async open(context) {
    const { seconds } = context
    const open = async (count: number) => {
      const folder = await context.folder()
      const file = await copyFilled(folder, count)
      const server = await startStowage(context, { ...CATALOG_SETTINGS, STOWAGE_DATA: folder })
      return { file, options: { server, seconds, count } }
    }
    const large = await open(1_000_000)
    const small = await open(10_000)
    const hello = await startPeer(context, 'hello')
    const plain = await startPeer(context, 'by-id-sqlite', { FILE: large.file })
    return [
      listContender(LARGE, large.options),
      listContender(SMALL, small.options),
      helloWorld({ server: hello, seconds }),
      byId({ ...large.options, server: plain }),
    ]
  },
}

export const listPostgres: Workload = {
  title: 'Lists on PostgreSQL, 16 clients',
  metrics: LIST_METRICS,
  targets: LIST_TARGETS,
  rounds: 5,
  async open(context) {
    const { seconds } = context
    const postgres = await startFilledPostgres(context)
    const open = async (count: number) => {
      const database = await postgres.database(count)
      const server = await startStowage(context, {
        ...CATALOG_SETTINGS,
        STOWAGE_DATABASE: database,
      })
      return { database, options: { server, seconds, count } }
    }
    const small = await open(10_000)
    const large = await open(1_000_000)
    const hello = await startPeer(context, 'hello')
    const plain = await startPeer(context, 'by-id-postgres', { DATABASE: large.database })
    return [
      listContender(LARGE, large.options),
      listContender(SMALL, small.options),
      helloWorld({ server: hello, seconds }),
      byId({ ...large.options, server: plain }),
    ]
  },
}
