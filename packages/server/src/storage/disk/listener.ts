import { parentPort } from 'node:worker_threads'
import { serveOwner } from './start-listener.ts'

/* The listener's thread. */
const owner = parentPort
if (owner === null) throw new Error('the listener must run in a worker thread')
const receive = serveOwner(
  (message) => owner.postMessage(message),
  () => owner.close(),
)
owner.on('message', receive)
