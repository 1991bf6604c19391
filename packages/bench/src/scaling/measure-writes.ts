import { type Request, sendLoad } from '../load/send-load.ts'
import { sessionRequest } from '../load/session-requests.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { watchUsage } from '../processes/usage.ts'
import type { Shop } from './populate.ts'

export interface WriteRates {
  sessionsPerSecond: number
  /** CPU time of all instances together. */
  cpuMsPerSession: number
}

const SECONDS = 5
const CLIENTS = 32

/** Requests uploads with many clients, spread evenly over shops and instances. */
export async function measureWrites(
  instances: ServerProcess[],
  shops: Shop[],
): Promise<WriteRates> {
  const requests = shops.map(({ key }): Request => {
    const request = sessionRequest()
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }
  })
  const clients = CLIENTS / instances.length
  const load = () =>
    Promise.all(instances.map(({ url }) => sendLoad({ url, requests, clients, seconds: SECONDS })))
  await load()
  const pids = instances.map(({ pid }) => pid)
  const { result, cpuSeconds } = await watchUsage(pids, load)
  const count = result.reduce((total, { count }) => total + count, 0)
  const sessionsPerSecond = result.reduce((total, { perSecond }) => total + perSecond, 0)
  return { sessionsPerSecond, cpuMsPerSession: (cpuSeconds * 1000) / count }
}
