import { parseArgs } from 'node:util'
import { tableOf } from './report/format.ts'
import { saveAndWrite, writePage } from './report/page.ts'
import { currentSource, type Result, thisMachine } from './report/result.ts'
import { runWorkload } from './run-workload.ts'
import type { Workload } from './workload.ts'

/*
 * Measures Stowage and comparable programs in one run on one machine. Compare ratios, not absolute values.
 *
 *     npm run bench                      all workloads
 *     npm run bench -- presign list      some workloads
 *     npm run bench -- --write           also writes docs/performance.md. The working tree must be a commit
 *     npm run bench -- --page            only writes docs/performance.md, from saved results
 *     npm run bench -- --rounds 5 --seconds 3
 */
const WORKLOADS: Record<string, () => Promise<Workload>> = {
  changes: async () => (await import('./workloads/changes.ts')).changes,
  'changes-postgres': async () => (await import('./workloads/changes.ts')).changesPostgres,
  checksums: async () => (await import('./workloads/checksums.ts')).checksums,
  'client-folder': async () => (await import('./workloads/client-folder.ts')).clientFolder,
  'client-upload': async () => (await import('./workloads/client-upload.ts')).clientUpload,
  completion: async () => (await import('./workloads/parts.ts')).completion,
  dashboard: async () => (await import('./workloads/dashboard.ts')).dashboard,
  download: async () => (await import('./workloads/download.ts')).download,
  list: async () => (await import('./workloads/list.ts')).list,
  'list-postgres': async () => (await import('./workloads/list.ts')).listPostgres,
  orders: async () => (await import('./workloads/orders.ts')).orders,
  parts: async () => (await import('./workloads/parts.ts')).parts,
  'parts-64': async () => (await import('./workloads/parts.ts')).parts64,
  'past-orders': async () => (await import('./workloads/past-orders.ts')).pastOrders,
  'past-orders-postgres': async () =>
    (await import('./workloads/past-orders.ts')).pastOrdersPostgres,
  presign: async () => (await import('./workloads/presign.ts')).presign,
  scrub: async () => (await import('./workloads/checksums.ts')).scrub,
  search: async () => (await import('./workloads/search.ts')).search,
  'search-postgres': async () => (await import('./workloads/search.ts')).searchPostgres,
  sessions: async () => (await import('./workloads/sessions.ts')).sessions,
  'sessions-10000': async () => (await import('./workloads/sessions.ts')).sessions10000,
  'sessions-s3': async () => (await import('./workloads/sessions.ts')).sessionsS3,
  'small-files': async () => (await import('./workloads/small-files.ts')).smallFiles,
  start: async () => (await import('./workloads/start.ts')).start,
}
const NAMES = Object.keys(WORKLOADS)

async function run(): Promise<number> {
  const { positionals: names, values } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const unknown = names.filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(
      `bench: unknown workload ${unknown.join(', ')}. Workloads: ${NAMES.join(', ')}\n`,
    )
    return 2
  }
  if (values.page) {
    await writePage()
    return 0
  }
  const source = values.write ? await currentSource() : undefined
  const limits = { rounds: toNumber(values.rounds), seconds: toNumber(values.seconds) }
  const machine = thisMachine()
  const results: Result[] = []
  for (const name of names.length > 0 ? names : NAMES) {
    const workload = await WORKLOADS[name]?.()
    if (workload === undefined) continue
    const result = await runWorkload(name, workload, limits)
    process.stdout.write(`${tableOf(result)}\n`)
    results.push(result)
    if (source !== undefined) await saveAndWrite({ ...result, machine, source }, NAMES)
  }
  const hasFailed = ({ measurements }: Result) =>
    measurements.some((it) => it.failure !== undefined)
  return results.some(hasFailed) ? 1 : 0
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

process.exitCode = await run()
