import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { watchStalls } from '../load/send-load.ts'
import {
  companionRequests,
  measureSessions,
  SESSION_METRICS,
  sessionRequest,
} from '../load/sessions.ts'
import { timed } from '../measure.ts'
import { startPeer } from '../processes/peers.ts'
import { startS3 } from '../processes/s3.ts'
import { API, type ServerProcess, startStowage } from '../processes/servers.ts'
import type { Workload } from '../workload.ts'
import { PARTS, presignEach } from './presign.ts'

const ONE_INSERT = 'Fastify, one insert'

export const sessions: Workload = {
  title: 'Upload sessions of 3 parts on SQLite and disk, 16 clients',
  metrics: SESSION_METRICS,
  targets: [
    {
      metric: 'sessionsPerSecond',
      limit: { atLeast: 0.9 },
      relativeTo: { contender: ONE_INSERT },
      reason: `The minimal program writes one row with one index. A session reserves the size against the plan, writes
        the asset with its three indexes and an event with its two. Without the syncs, 37 % of the time is spent on these
        statements (70 to 90 µs), 12 % on sending the response, 5 % on garbage collection, 3 % on signing the three URLs
        and 3 % on the log. The commits are shared already, and the disk is asked once a second.`,
    },
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
        name: ONE_INSERT,
        run: () => measureSessions(bare, { requests: [sessionRequest('/sessions')], seconds }),
      },
    ]
  },
}

const COMPANION = 'Uppy Companion'
const SDK = 'Fastify and AWS SDK'

export const sessionsS3: Workload = {
  title: 'Upload sessions of 3 parts on S3 (Ceph), 16 clients',
  metrics: SESSION_METRICS,
  targets: [
    { metric: 'sessionsPerSecond', limit: { atLeast: 4.6 }, relativeTo: { contender: COMPANION } },
    { metric: 'sessionsPerSecond', limit: { atLeast: 1.8 }, relativeTo: { contender: SDK } },
    {
      metric: 'cpuMsPerSession',
      limit: { below: 1 },
      reason: `A session commits twice, because the storage chooses the ID of the upload: before the storage opens the
        upload, so that nothing is left behind after a crash, and before the response. At this rate few sessions share a
        commit.`,
    },
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

const ON_S3 = 'Stowage on S3 (Ceph)'
const ONE_HMAC_PER_URL = 'Fastify, one HMAC per URL'
/** A file of 1 TB does not fit on most disks, so that the service would refuse it: there, the parts are small. */
const DISK_CHUNK_SIZE = 10_000
const CHUNK_SIZE = 100_000_000

const STALL = `Parts are signed 500 at a time, and other requests are served in between. Other programs used both cores
  during the measurement, and the times range from 8 to 54 ms on disk.`

export const sessions10000: Workload = {
  title: 'Upload session of 10,000 parts',
  metrics: {
    time: { title: 'Time to the complete response', unit: 'ms', better: 'lower' },
    stall: {
      title: 'Longest response time of other clients during the request',
      unit: 'ms',
      better: 'lower',
    },
  },
  targets: [
    { metric: 'time', limit: { below: 2 }, relativeTo: { contender: ONE_HMAC_PER_URL } },
    {
      metric: 'time',
      contender: ON_S3,
      limit: { below: 2 },
      relativeTo: { contender: ONE_HMAC_PER_URL },
      reason: `The S3 service must create the upload first, which takes Ceph a third of the time. AWS's signature
        then needs three hashes per URL instead of two, and the URLs are twice as long.`,
    },
    { metric: 'stall', limit: { below: 20 }, reason: STALL },
    { metric: 'stall', contender: ON_S3, limit: { below: 20 }, reason: STALL },
  ],
  rounds: 9,
  async open(context) {
    const embedded = await startStowage(context, { STOWAGE_CHUNK_SIZE: `${DISK_CHUNK_SIZE}` })
    const s3 = await startS3(context)
    const onS3 = await startStowage(context, await s3.stowageSettings())
    const bare = await startPeer(context, 'hmac-per-url')
    const client = new S3Client({ region: 'eu-central-1' })
    return [
      { name: 'Stowage on disk', run: () => requestLargeSession(embedded, DISK_CHUNK_SIZE) },
      { name: ON_S3, run: () => requestLargeSession(onS3) },
      { name: 'AWS SDK presigner', run: () => timed(() => presignEach(client)) },
      { name: ONE_HMAC_PER_URL, run: () => requestLargeSession(bare) },
    ]
  },
}

async function requestLargeSession({ url }: ServerProcess, chunkSize = CHUNK_SIZE) {
  const file = { name: 'archive.tar', size: chunkSize * PARTS.length, mime: 'application/x-tar' }
  let text = ''
  const { result, longestMs } = await watchStalls(url, () =>
    timed(async () => {
      const response = await fetch(`${url}${API}/assets/signed`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(file),
      })
      text = await response.text()
      if (response.status !== 201) throw new Error(`status ${response.status}: ${text}`)
    }),
  )
  const { urls } = JSON.parse(text)
  if (urls.length !== PARTS.length) throw new Error(`${urls.length} URLs`)
  return { ...result, stall: longestMs }
}
