import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../server/test/support/free-port.ts'
import { peerCommand } from '../processes/peers.ts'
import { spawnQuietly, stopProcess } from '../processes/server-process.ts'
import { serveCommand } from '../processes/stowage.ts'
import { readCpuSeconds } from '../processes/usage.ts'
import type { Workload } from '../workload.ts'

const BARE = 'Fastify, hello world'
const ASK_EVERY_MS = 2
const TIMEOUT_MS = 30_000

type Command = Parameters<typeof spawnQuietly>[0]

export const workload: Workload = {
  title: 'From the start of the process to its first answer',
  figures: {
    time: { title: 'Time to the first answer', unit: 'ms', better: 'less' },
    cpu: { title: 'CPU until then', unit: 'ms', better: 'less' },
  },
  targets: [{ figure: 'time', limit: { below: 1.6 }, times: { contender: BARE } }],
  rounds: 9,
  async open(scene) {
    const folder = await scene.folder()
    const serve = (port: number) => serveCommand({ STOWAGE_DATA: folder, STOWAGE_PORT: `${port}` })
    const hello = (port: number) => peerCommand('hello', port)
    return [
      { name: 'Stowage', run: () => timeStart(serve) },
      { name: BARE, run: () => timeStart(hello) },
    ]
  },
}

async function timeStart(commandOn: (port: number) => Command | Promise<Command>) {
  const port = await freePort()
  const command = await commandOn(port)
  const start = performance.now()
  const child = spawnQuietly(command)
  try {
    while (!(await isHealthy(port))) {
      if (performance.now() - start > TIMEOUT_MS) throw new Error(`no answer: ${child.errors()}`)
      await pause(ASK_EVERY_MS)
    }
    const time = performance.now() - start
    return { time, cpu: (await readCpuSeconds(child.process.pid ?? 0)) * 1000 }
  } finally {
    // Politely: the next start finds the folder as people leave it.
    await stopProcess(child.process, 'SIGTERM')
  }
}

/** Plain, as whatever asking costs is taken from the one who starts. */
function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    }).once('error', () => resolve(false))
  })
}
