import { S3Client } from '@aws-sdk/client-s3'
import { watchStalls } from '../load/watch-stalls.ts'
import { PARTS, presignEach } from '../part-signatures.ts'
import { startPeer } from '../processes/peers.ts'
import { startS3 } from '../processes/s3.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { API, startStowage } from '../processes/stowage.ts'
import { timed } from '../timed.ts'
import type { Workload } from '../workload.ts'

const ON_S3 = 'Stowage on S3 (Ceph)'
const BARE = 'Fastify, one HMAC per URL'
const FILE = { name: 'archive.tar', size: 1_000_000_000_000, mime: 'application/x-tar' }

export const workload: Workload = {
  title: 'Upload session of 10,000 parts (1 TB)',
  metrics: {
    time: { title: 'Time to the complete response', unit: 'ms', better: 'lower' },
    stall: {
      title: 'Longest response time of other clients during the request',
      unit: 'ms',
      better: 'lower',
    },
  },
  targets: [
    { metric: 'time', limit: { below: 2 }, relativeTo: { contender: BARE } },
    {
      metric: 'time',
      contender: ON_S3,
      limit: { below: 2 },
      relativeTo: { contender: BARE },
      reason: `The S3 service must create the upload first, which takes Ceph a third of the time. AWS's signature
        then needs three hashes per URL instead of two, and the URLs are twice as long.`,
    },
    { metric: 'stall', limit: { below: 20 } },
    { metric: 'stall', contender: ON_S3, limit: { below: 20 } },
  ],
  rounds: 9,
  async open(context) {
    const embedded = await startStowage(context)
    const s3 = await startS3(context)
    const onS3 = await startStowage(context, await s3.stowageSettings())
    const bare = await startPeer(context, 'hmac-per-url')
    const client = new S3Client({ region: 'eu-central-1' })
    return [
      { name: 'Stowage on disk', run: () => requestSession(embedded) },
      { name: ON_S3, run: () => requestSession(onS3) },
      { name: 'AWS SDK presigner', run: () => timed(() => presignEach(client)) },
      { name: BARE, run: () => requestSession(bare) },
    ]
  },
}

async function requestSession({ url }: ServerProcess) {
  let text = ''
  const { result, longestMs } = await watchStalls(url, () =>
    timed(async () => {
      const response = await fetch(`${url}${API}/assets/signed`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(FILE),
      })
      text = await response.text()
      if (response.status !== 201) throw new Error(`status ${response.status}: ${text}`)
    }),
  )
  const { urls } = JSON.parse(text)
  if (urls.length !== PARTS.length) throw new Error(`${urls.length} URLs`)
  return { ...result, stall: longestMs }
}
