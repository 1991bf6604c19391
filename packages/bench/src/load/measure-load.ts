import type { ServerProcess } from '../processes/server-process.ts'
import { watchUsage } from '../processes/usage.ts'
import { type Request, sendLoad } from './send-load.ts'

/** Sends load to a server and measures the cost of each unit of work, which is one or more requests. */
export async function measureLoad(
  server: ServerProcess,
  options: { requests: Request[]; seconds: number; requestsEach?: number },
): Promise<{ rate: number; cpu: number; memory: number }> {
  const { requestsEach = 1, ...load } = options
  const usage = await watchUsage([server.pid], () => sendLoad({ url: server.url, ...load }))
  const { perSecond, count } = usage.result
  return {
    rate: perSecond / requestsEach,
    cpu: (usage.cpuSeconds * 1000) / (count / requestsEach),
    memory: usage.peakMegabytes,
  }
}
