import { join } from 'node:path'
import { measureSessions } from '../load/measure-sessions.ts'
import { SESSION_METRICS, sessionRequest } from '../load/session-requests.ts'
import { startPeer } from '../processes/peers.ts'
import { startStowage } from '../processes/stowage.ts'
import type { Workload } from '../workload.ts'

const BARE = 'Fastify, one insert'

export const workload: Workload = {
  title: 'Upload sessions of 3 parts on SQLite and disk, 16 clients',
  metrics: SESSION_METRICS,
  targets: [
    { metric: 'sessionsPerSecond', limit: { atLeast: 0.9 }, relativeTo: { contender: BARE } },
  ],
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
        run: () => measureSessions(ours, { requests: [sessionRequest()], seconds }),
      },
      {
        name: BARE,
        run: () => measureSessions(bare, { requests: [sessionRequest('/sessions')], seconds }),
      },
    ]
  },
}
