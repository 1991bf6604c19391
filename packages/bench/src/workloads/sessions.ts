import { join } from 'node:path'
import { measureLoad } from '../load/measure-load.ts'
import { SESSION_FIGURES, sessionRequest } from '../load/session-requests.ts'
import { startPeer } from '../processes/peers.ts'
import { startStowage } from '../processes/stowage.ts'
import type { Workload } from '../workload.ts'

const BARE = 'Fastify, one insert'

export const workload: Workload = {
  title: 'Upload sessions of 3 parts on SQLite and disk, 16 clients',
  figures: SESSION_FIGURES,
  targets: [{ figure: 'rate', limit: { atLeast: 0.9 }, times: { contender: BARE } }],
  seconds: 3,
  rounds: 5,
  async open(context) {
    const { seconds } = context
    const ours = await startStowage(context)
    const bare = await startPeer(context, 'insert-sqlite', {
      FILE: join(await context.folder(), 'bare.db'),
    })
    return [
      {
        name: 'Stowage',
        run: () => measureLoad(ours, { requests: [sessionRequest()], seconds }),
      },
      {
        name: BARE,
        run: () => measureLoad(bare, { requests: [sessionRequest('/sessions')], seconds }),
      },
    ]
  },
}
