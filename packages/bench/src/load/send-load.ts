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
  /** Milliseconds, over all requests. */
  medianMs: number
}

/** Keeps some clients busy for a while. Throws when any answer is not a success. */
export async function sendLoad(options: LoadOptions): Promise<Load> {
  const result = await autocannon({
    url: options.url,
    requests: options.requests,
    connections: options.clients ?? CLIENTS,
    duration: options.seconds,
    timeout: 30,
  })
  const { errors, timeouts, non2xx } = result
  if (errors + timeouts + non2xx > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${non2xx} refusals, ${errors} errors, ${timeouts} time-outs: ${statuses}`)
  }
  const count = result['2xx']
  if (count === 0) throw new Error('no answer at all')
  return { perSecond: count / result.duration, count, medianMs: result.latency.p50 }
}
