import { measureSessions } from '../load/measure-sessions.ts'
import { companionRequests, SESSION_METRICS, sessionRequest } from '../load/session-requests.ts'
import { startPeer } from '../processes/peers.ts'
import { startS3 } from '../processes/s3.ts'
import { startStowage } from '../processes/stowage.ts'
import type { Workload } from '../workload.ts'

const COMPANION = 'Uppy Companion'
const SDK = 'Fastify and AWS SDK'

export const workload: Workload = {
  title: 'Upload sessions of 3 parts on S3 (Ceph), 16 clients',
  metrics: SESSION_METRICS,
  targets: [
    { metric: 'sessionsPerSecond', limit: { atLeast: 4 }, relativeTo: { contender: COMPANION } },
    { metric: 'sessionsPerSecond', limit: { atLeast: 1.8 }, relativeTo: { contender: SDK } },
    { metric: 'cpuMsPerSession', limit: { below: 1 } },
  ],
  seconds: 3,
  rounds: 5,
  async open(context) {
    const { seconds } = context
    const s3 = await startS3(context)
    const ours = await startStowage(context, await s3.stowageSettings())
    const folder = await context.folder()
    const companion = await startPeer(context, 'companion', {
      ...(await s3.peerSettings()),
      FOLDER: folder,
    })
    const sdk = await startPeer(context, 'fastify-sdk', await s3.peerSettings())
    return [
      {
        name: 'Stowage',
        run: () => measureSessions(ours, { requests: [sessionRequest()], seconds }),
      },
      {
        name: COMPANION,
        run: () =>
          measureSessions(companion, {
            requests: companionRequests(),
            seconds,
            requestsPerSession: 2,
          }),
      },
      {
        name: SDK,
        run: () => measureSessions(sdk, { requests: [sessionRequest('/sessions')], seconds }),
      },
    ]
  },
}
