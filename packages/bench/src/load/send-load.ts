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
const TIMEOUT_SECONDS = 60
/** Only at a sample does autocannon see that it has enough. */
const SAMPLE_MS = 20

/**
 * Keeps some clients busy for a while; where answers are slow, until so many have come as the time
 * is for. Throws when any answer is not a success.
 */
export async function sendLoad(options: LoadOptions): Promise<Load> {
  const { url, requests, seconds, clients = CLIENTS } = options
  const load = { url, requests, timeout: TIMEOUT_SECONDS }
  const alone = await sendSome({ ...load, connections: 1, amount: 2 })
  const expected = alone.perSecond * seconds
  if (expected >= clients * FEWEST_EACH) {
    const result = await autocannon({ ...load, connections: clients, duration: seconds })
    const count = successes(result)
    return { perSecond: count / result.duration, count }
  }
  const amount = clients * Math.max(1, Math.ceil(expected / clients))
  return sendSome({ ...load, connections: clients, amount })
}

/** A number of requests, however long they take. */
function sendSome(options: autocannon.Options): Promise<Load> {
  let [start, end] = [0, 0]
  return new Promise((resolve, reject) => {
    const instance = autocannon({ ...options, sampleInt: SAMPLE_MS }, (error, result) => {
      if (error) return reject(error)
      try {
        const count = successes(result)
        resolve({ perSecond: (count * 1000) / (end - start), count })
      } catch (refusal) {
        reject(refusal)
      }
    })
    instance.on('start', () => {
      start = performance.now()
    })
    instance.on('response', () => {
      end = performance.now()
    })
  })
}

function successes(result: autocannon.Result): number {
  const { errors, timeouts, non2xx } = result
  if (errors + timeouts + non2xx > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${non2xx} refusals, ${errors} errors, ${timeouts} time-outs: ${statuses}`)
  }
  return result['2xx']
}
