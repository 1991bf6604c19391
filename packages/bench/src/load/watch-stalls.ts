import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Does the work while another client asks `/healthz` every 5 ms, and tells the longest that an answer
 * took. The client has a thread of its own, as ours has work to do.
 */
export async function watchStalls<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
  const worker = new Worker(new URL('./poll-health.ts', import.meta.url), { workerData: url })
  try {
    expect('ready', await once(worker, 'message'))
    const told = once(worker, 'message')
    const result = await work()
    worker.postMessage('enough')
    const [longestMs] = await told
    if (typeof longestMs !== 'number') throw new Error(`/healthz: ${longestMs}`)
    return { result, longestMs }
  } finally {
    await worker.terminate()
  }
}

function expect(wanted: string, [message]: unknown[]): void {
  if (message !== wanted) throw new Error(`/healthz: ${message}`)
}
