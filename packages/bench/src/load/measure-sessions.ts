import type { ServerProcess } from '../processes/server-process.ts'
import { watchUsage } from '../processes/usage.ts'
import { type Request, sendLoad } from './send-load.ts'
import type { SESSION_METRICS } from './session-requests.ts'

/** Opens upload sessions with several clients. A session takes one or more requests. */
export async function measureSessions(
  server: ServerProcess,
  options: { requests: Request[]; seconds: number; requestsPerSession?: number },
): Promise<Record<keyof typeof SESSION_METRICS, number>> {
  const { requestsPerSession = 1, ...load } = options
  const usage = await watchUsage([server.pid], () => sendLoad({ url: server.url, ...load }))
  const { perSecond, count } = usage.result
  return {
    sessionsPerSecond: perSecond / requestsPerSession,
    cpuMsPerSession: (usage.cpuSeconds * 1000) / (count / requestsPerSession),
    peakMegabytes: usage.peakMegabytes,
  }
}
