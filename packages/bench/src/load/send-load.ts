import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import autocannon from 'autocannon'

export const CLIENTS = 16

export type Request = Pick<
  autocannon.Request,
  'method' | 'path' | 'headers' | 'body' | 'onResponse' | 'setupRequest'
>

interface LoadOptions {
  url: string
  /** Each client repeats them in this order. */
  requests: Request[]
  seconds: number
  clients?: number
}

export interface Load {
  perSecond: number
  count: number
}

/** With fewer responses per client, the unfinished requests at the end would distort the rate. */
const MIN_RESPONSES = 10
const TIMEOUT_SECONDS = 60
/** autocannon checks only at each sample whether it is done. */
const SAMPLE_MS = 20

/**
 * Sends requests with several clients for the given time. If responses are slow, it sends a fixed number of
 * requests instead. Throws if any response is not a success.
 */
export async function sendLoad(options: LoadOptions): Promise<Load> {
  const { url, requests, seconds, clients = CLIENTS } = options
  const load = { url, requests }
  const alone = await sendAmount({ ...load, clients: 1, amount: 2 })
  const expected = alone.perSecond * seconds
  if (expected >= clients * MIN_RESPONSES) {
    return sendFor({ ...load, seconds, clients })
  }
  const amount = clients * Math.max(1, Math.ceil(expected / clients))
  return sendAmount({ ...load, clients, amount })
}

/** Sends requests for the given time, even if responses are slow. Throws if any response is not a success. */
export async function sendFor({ seconds, clients = CLIENTS, ...load }: LoadOptions) {
  const timed = { duration: seconds, timeout: TIMEOUT_SECONDS }
  const result = await autocannon({ ...load, ...timed, connections: clients })
  const count = successes(result)
  const { p50: p50Ms, p99: p99Ms } = result.latency
  return { perSecond: count / result.duration, count, p50Ms, p99Ms }
}

/** Sends a fixed number of requests. Throws if any response is not a success. */
export function sendAmount({
  clients = CLIENTS,
  ...load
}: Pick<LoadOptions, 'url' | 'requests' | 'clients'> & { amount: number }): Promise<Load> {
  let [start, end] = [0, 0]
  const options = {
    ...load,
    connections: clients,
    timeout: TIMEOUT_SECONDS,
    sampleInt: SAMPLE_MS,
  }
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => {
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
    throw new Error(`${non2xx} refusals, ${errors} errors, ${timeouts} timeouts: ${statuses}`)
  }
  return result['2xx']
}

/** A request that another client repeats, with a pause after each response. */
export interface Poll {
  path: string
  pauseMs: number
  method?: string
  headers?: Record<string, string>
  body?: string
}

const HEALTH: Poll = { path: '/healthz', pauseMs: 5 }

/** Runs the work while another client requests `/healthz` every 5 ms, and returns the longest response time. */
export async function watchStalls<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
  const { result, longestMs } = await watchOthers(url, [HEALTH], work)
  return { result, longestMs: longestMs[0] ?? 0 }
}

/**
 * Runs the work while other clients send requests, and returns the longest response time of each. They run in their own
 * thread, because the thread of the work is busy. Throws if any response is not a success.
 */
export async function watchOthers<Result>(
  url: string,
  polls: Poll[],
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number[] }> {
  const worker = new Worker(new URL('./poll.ts', import.meta.url), { workerData: { url, polls } })
  try {
    const [message] = await once(worker, 'message')
    if (message !== 'ready') throw new Error(`other clients: ${message}`)
    const reported = once(worker, 'message')
    const result = await work()
    worker.postMessage('stop')
    const [longestMs] = await reported
    if (!Array.isArray(longestMs)) throw new Error(`other clients: ${longestMs}`)
    return { result, longestMs }
  } finally {
    await worker.terminate()
  }
}
