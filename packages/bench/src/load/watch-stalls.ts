import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Runs the work while another client requests `/healthz` every 5 ms, and returns the longest response
 * time. That client runs in its own thread, because the thread of the work is busy.
 */
export async function watchStalls<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
  const worker = new Worker(new URL('./poll-health.ts', import.meta.url), { workerData: url })
  try {
    expect('ready', await once(worker, 'message'))
    const reported = once(worker, 'message')
    const result = await work()
    worker.postMessage('stop')
    const [longestMs] = await reported
    if (typeof longestMs !== 'number') throw new Error(`/healthz: ${longestMs}`)
    return { result, longestMs }
  } finally {
    await worker.terminate()
  }
}

function expect(wanted: string, [message]: unknown[]): void {
  if (message !== wanted) throw new Error(`/healthz: ${message}`)
}
