import { peerCommand } from '../processes/peers.ts'
import {
  buildStartProgram,
  CHECKOUTS,
  type Command,
  readCpuSeconds,
  serveCommand,
  startServer,
} from '../processes/servers.ts'
import type { Contender, Workload } from '../workload.ts'

const BARE = 'Fastify, hello world'

export const start: Workload = {
  title: 'Process start to first response',
  metrics: {
    time: { title: 'Time to the first response', unit: 'ms', better: 'lower' },
    cpu: { title: 'CPU time until the first response', unit: 'ms', better: 'lower' },
  },
  targets: [
    {
      metric: 'time',
      limit: { below: 1.6 },
      relativeTo: { contender: BARE },
      reason: `The time is spent on Node and Fastify, as in the minimal program, and on the routes, the database and
        the storage's thread, which starts on another core: it needs a second core that is idle.`,
    },
  ],
  rounds: 9,
  async open(context) {
    const hello = await peerCommand('hello')
    const contenders: Contender[] = []
    for (const { name, program } of CHECKOUTS) {
      const settings = { STOWAGE_DATA: await context.folder() }
      const serve = serveCommand(settings, await buildStartProgram(program))
      contenders.push({ name, run: () => timeStart(serve) })
    }
    return [...contenders, { name: BARE, run: () => timeStart(hello) }]
  },
}

export async function timeStart(command: Command) {
  const start = performance.now()
  const server = await startServer(command)
  try {
    const response = await fetch(`${server.url}/healthz`)
    const time = performance.now() - start
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return { time, cpu: (await readCpuSeconds(server.pid)) * 1000 }
  } finally {
    // A clean shutdown, so that the next start finds the folder as in normal use.
    await server.stop('SIGTERM')
  }
}
