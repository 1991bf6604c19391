import { parentPort, workerData } from 'node:worker_threads'
import { startListener, type ToListener } from './start-listener.ts'

/* The listener's thread. */
const owner = parentPort
if (owner === null) throw new Error('the listener must run in a worker thread')
const listener = startListener(workerData, (message) => owner.postMessage(message))
owner.on('message', (message: ToListener) => {
  if (message.type === 'close') listener.close(() => owner.close())
  else listener.receive(message)
})
