import { inParallel, openSender } from '../load/part-sender.ts'
import { completeUpload, requestSession } from '../load/stowage-upload.ts'
import { watchStalls } from '../load/watch-stalls.ts'
import { startStowage } from '../processes/stowage.ts'
import type { Workload } from '../workload.ts'

const COUNT = 10_000
const CONCURRENCY = 16
const BODY = Buffer.from('x')

export const workload: Workload = {
  title: 'Completing a 10,000-part upload on disk',
  metrics: {
    time: { title: 'Response time', unit: 'ms', better: 'lower' },
    stall: {
      title: 'Longest response time of other clients during the completion',
      unit: 'ms',
      better: 'lower',
    },
  },
  targets: [{ metric: 'time', limit: { below: 1000 } }],
  rounds: 2,
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)
    const { url } = await startStowage(context, { STOWAGE_CHUNK_SIZE: `${BODY.length}` })

    async function run() {
      const session = await requestSession(url, COUNT * BODY.length)
      const parts: { PartNumber: number; ETag: string }[] = []
      const put = async ({ part, url: partUrl }: (typeof session.urls)[number]) => {
        const { headers } = await send({ method: 'PUT', url: partUrl, body: BODY })
        parts.push({ PartNumber: part, ETag: `${headers.etag}`.replaceAll('"', '') })
      }
      const puts = session.urls.map((part) => () => put(part))
      await inParallel(CONCURRENCY, puts)
      const { result: time, longestMs: stall } = await watchStalls(url, async () => {
        const start = performance.now()
        await completeUpload(url, session, parts)
        return performance.now() - start
      })
      return { time, stall }
    }
    return [{ name: 'Stowage', run }]
  },
}
