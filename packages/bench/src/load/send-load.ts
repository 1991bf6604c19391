import autocannon from 'autocannon'

export const CLIENTS = 16

export type Request = Pick<
  autocannon.Request,
  'method' | 'path' | 'headers' | 'body' | 'onResponse' | 'setupRequest'
>

export interface LoadOptions {
  url: string
  /** Each client sends them in this order, again and again. */
  requests: Request[]
  seconds: number
  clients?: number
}

export interface Load {
  perSecond: number
  count: number
}

/** With fewer answers than this of each client, those under way at the end weigh too much. */
const FEWEST_EACH = 10
/** Then each client gets so many answers, however long they take. */
const SLOW_EACH = 2

/**
 * Keeps some clients busy for a while; where answers are slow, until there are some. Throws when any
 * answer is not a success.
 */
export async function sendLoad(options: LoadOptions): Promise<Load> {
  const { url, requests, seconds, clients = CLIENTS } = options
  const load = { url, requests, connections: clients, timeout: 60 }
  const result = await cannonade({ ...load, duration: seconds })
  if (result.count >= clients * FEWEST_EACH) return result
  return cannonade({ ...load, amount: clients * SLOW_EACH })
}

async function cannonade(options: autocannon.Options): Promise<Load> {
  const start = performance.now()
  const result = await autocannon(options)
  const { errors, timeouts, non2xx } = result
  if (errors + timeouts + non2xx > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${non2xx} refusals, ${errors} errors, ${timeouts} time-outs: ${statuses}`)
  }
  const count = result['2xx']
  const elapsed = options.amount ? (performance.now() - start) / 1000 : result.duration
  return { perSecond: count / elapsed, count }
}
