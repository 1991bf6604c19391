import { join } from 'node:path'
import { startStowage } from '../processes/stowage.ts'
import type { Contender, Target, WorkloadContext } from '../workload.ts'
import { inParallel, openSender } from './part-sender.ts'
import { sendLoad } from './send-load.ts'
import { sessionRequest } from './session-requests.ts'
import { completeUpload, requestSession } from './stowage-upload.ts'

export const CHANGE_METRICS = {
  sessions: { title: 'Sessions', unit: '/s', better: 'higher' },
  completions: { title: 'Completions of files of 1 byte', unit: '/s', better: 'higher' },
} as const

const BASELINE = 'Baseline'

/** The folder of another checkout of this repository, for example of the last release. */
const { BASELINE: baselineFolder } = process.env

export const CHANGE_TARGETS: Target[] =
  baselineFolder === undefined
    ? []
    : Object.keys(CHANGE_METRICS).map((metric) => ({
        metric,
        limit: { atLeast: 0.9 },
        relativeTo: { contender: BASELINE },
      }))

const CONCURRENCY = 16
const COMPLETIONS = 640
const BODY = Buffer.from('x')

/**
 * The contenders: this checkout and, if BASELINE is set, another one. `settings` returns the settings of a new,
 * empty service.
 */
export async function changeContenders(
  context: WorkloadContext,
  settings: () => Promise<Record<string, string>>,
): Promise<Contender[]> {
  const { send, close } = openSender(CONCURRENCY)
  context.defer(close)

  async function contender(name: string, program?: string): Promise<Contender> {
    const { url } = await startStowage(context, await settings(), program)
    const upload = async () => {
      const session = await requestSession(url, BODY.length)
      for (const part of session.urls) await send({ method: 'PUT', url: part.url, body: BODY })
      return session
    }
    async function completionsPerSecond() {
      const completions: (() => Promise<unknown>)[] = []
      const uploads = Array.from({ length: COMPLETIONS }, () => async () => {
        const session = await upload()
        completions.push(() => completeUpload(url, session, []))
      })
      await inParallel(CONCURRENCY, uploads)
      const start = performance.now()
      await inParallel(CONCURRENCY, completions)
      return (COMPLETIONS * 1000) / (performance.now() - start)
    }
    async function run() {
      const load = { url, requests: [sessionRequest()], seconds: context.seconds }
      const { perSecond: sessions } = await sendLoad(load)
      return { sessions, completions: await completionsPerSecond() }
    }
    return { name, run }
  }

  const ours = await contender('Stowage')
  if (baselineFolder === undefined) return [ours]
  return [ours, await contender(BASELINE, join(baselineFolder, 'packages/cli/bin/stowage.js'))]
}
