import { startPostgres } from '@stowage/testing/engines/postgres'
import { administer } from '../catalog/filled.ts'
import { sendLoad } from '../load/send-load.ts'
import { inParallel, openSender, type Send } from '../load/sender.ts'
import { completeUpload, requestSession, sessionRequest } from '../load/sessions.ts'
import {
  BASELINE,
  CHECKOUTS,
  type ServerProcess,
  startStowage,
  watchUsage,
} from '../processes/servers.ts'
import type { Contender, Target, Workload, WorkloadContext } from '../workload.ts'

const CHANGE_METRICS = {
  sessions: { title: 'Sessions', unit: '/s', better: 'higher' },
  completions: { title: 'Completions of files of 1 byte', unit: '/s', better: 'higher' },
} as const

const CHANGE_TARGETS: Target[] =
  CHECKOUTS.length === 1
    ? []
    : Object.keys(CHANGE_METRICS).map((metric) => ({
        metric,
        limit: { atLeast: 0.9 },
        relativeTo: { contender: BASELINE },
      }))

const CONCURRENCY = 16
const COMPLETIONS = 640
const ONE_BYTE = Buffer.from('x')

/**
 * The contenders: this checkout and, if BASELINE is set, another one. `settings` returns the settings of a new,
 * empty service.
 */
async function changeContenders(
  context: WorkloadContext,
  settings: () => Promise<Record<string, string>>,
): Promise<Contender[]> {
  const { send, close } = openSender(CONCURRENCY)
  context.defer(close)

  async function contender(name: string, program: string): Promise<Contender> {
    const server = await startStowage(context, await settings(), program)
    const { url } = server
    async function run() {
      const load = { url, requests: [sessionRequest()], seconds: context.seconds }
      const { perSecond: sessions } = await sendLoad(load)
      const { perSecond: completions } = await measureCompletions(send, server, COMPLETIONS)
      return { sessions, completions }
    }
    return { name, run }
  }

  const contenders: Contender[] = []
  for (const { name, program } of CHECKOUTS) contenders.push(await contender(name, program))
  return contenders
}

/** Uploads many files of one byte first, and then completes all of them with several clients. */
export async function measureCompletions(
  send: Send,
  { url, pid }: ServerProcess,
  count: number,
): Promise<{ perSecond: number; cpuSeconds: number }> {
  const completions: (() => Promise<unknown>)[] = []
  const uploads = Array.from({ length: count }, () => async () => {
    const session = await requestSession(url, ONE_BYTE.length)
    for (const part of session.urls) await send({ method: 'PUT', url: part.url, body: ONE_BYTE })
    completions.push(() => completeUpload(url, session, []))
  })
  await inParallel(CONCURRENCY, uploads)
  const start = performance.now()
  const { cpuSeconds } = await watchUsage([pid], () => inParallel(CONCURRENCY, completions))
  return { perSecond: (count * 1000) / (performance.now() - start), cpuSeconds }
}

export const changes: Workload = {
  title: 'Sessions and completions on SQLite and disk, 16 clients',
  metrics: CHANGE_METRICS,
  targets: CHANGE_TARGETS,
  seconds: 3,
  rounds: 5,
  open: (context) => changeContenders(context, async () => ({})),
}

export const changesPostgres: Workload = {
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
