import type { ServerProcess } from '../processes/server-process.ts'
import { watchUsage } from '../processes/usage.ts'
import { type Request, sendLoad } from './send-load.ts'

/**
 * Sends load to a server. A unit of work is one or more requests. Returns the units per second, the CPU
 * time per unit in ms, and the peak memory in MB.
 */
export async function measureLoad(
  server: ServerProcess,
  options: { requests: Request[]; seconds: number; requestsPerUnit?: number },
): Promise<{ rate: number; cpu: number; memory: number }> {
  const { requestsPerUnit = 1, ...load } = options
  const usage = await watchUsage([server.pid], () => sendLoad({ url: server.url, ...load }))
  const { perSecond, count } = usage.result
  return {
    rate: perSecond / requestsPerUnit,
    cpu: (usage.cpuSeconds * 1000) / (count / requestsPerUnit),
    memory: usage.peakMegabytes,
  }
}
