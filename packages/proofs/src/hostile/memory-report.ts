import { writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

/*
 * Loaded into the service, in each of its threads. On SIGUSR2, each thread collects garbage and writes the
 * memory that it still uses to stdout, in bytes.
 */
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const channel = new BroadcastChannel('memory report')

function report(): void {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  writeSync(1, `memory ${JSON.stringify({ thread: threadId, used: heapUsed + external })}\n`)
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage('report')
    report()
  })
} else {
  channel.onmessage = report
}
channel.unref()
