import { type Request, sendFor } from '../load/send-load.ts'
import { API, resetPeakMemory, type ServerProcess, watchUsage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import { authorizationOf, requester } from './shop-calls.ts'
import type { GrownAccount } from './tasks.ts'

/** A load of different calls. */
export interface MixedLoad {
  clients: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU time of the instance per call. */
  cpuMs: number
  /** Peak memory of the instance during the load. */
  megabytes: number
}

const QUIET_CLIENTS = 4
const MANY_CLIENTS = 500

/** The same calls with a few clients, and with many. */
export async function measureClients(
  server: ServerProcess,
  account: GrownAccount,
  seconds: number,
): Promise<MixedLoad[]> {
  const requests = await mixedRequests(server, account)
  const loads: MixedLoad[] = []
  const steps = [
    { clients: QUIET_CLIENTS, duration: Math.ceil(seconds / 4) },
    { clients: MANY_CLIENTS, duration: seconds },
  ]
  for (const { clients, duration } of steps) {
    progress(`mixed calls with ${clients} clients`)
    await resetPeakMemory(server.pid)
    const load = { url: server.url, requests, seconds: duration, clients }
    const { result, cpuSeconds, peakMegabytes } = await watchUsage([server.pid], () =>
      sendFor(load),
    )
    const { count, ...rates } = result
    const cpuMs = (cpuSeconds * 1000) / count
    loads.push({ clients, ...rates, cpuMs, megabytes: peakMegabytes })
  }
  return loads
}

/** Pages, a search, single assets, products and the account, and one session in nine calls. */
async function mixedRequests(server: ServerProcess, account: GrownAccount): Promise<Request[]> {
  const { data } = await requester(server.url, account)('GET', '/assets?limit=19')
  const headers = authorizationOf(account)
  const paths = [
    '/assets',
    '/assets?page=2&with_products=true',
    '/assets?search=pack',
    '/account',
    '/products',
    ...data.map(({ id }: { id: string }) => `/assets/${id}`),
  ]
  const reads = paths.map((path): Request => ({ path: `${API}${path}`, headers }))
  // Small, so that the unfinished uploads fit on the disk.
  const write: Request = {
    method: 'POST',
    path: `${API}/assets/signed`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'mixed.zip', size: 1000 }),
  }
  return [...reads, write, write, write]
}
