import { startCeph, whyNoCeph } from '@stowage/testing/engines/ceph'
import { aBucket, credentialsOf, type S3Server } from '@stowage/testing/engines/s3-server'
import type { Scene } from '../workload.ts'

/** Ceph's gateway. A bucket for each contender: what one leaves behind slows no other. */
export async function startS3(scene: Scene) {
  const reason = await whyNoCeph()
  if (reason !== undefined) throw new Error(reason)
  const server = await startCeph()
  scene.defer(server.close)
  Object.assign(process.env, credentialsOf(server))
  return {
    stowageSettings: async () => stowageSettings(server, await aBucket(server)),
    peerSettings: async () => peerSettings(server, await aBucket(server)),
  }
}

function stowageSettings(server: S3Server, bucket: string): Record<string, string> {
  return {
    STOWAGE_STORAGE: `s3://${bucket}`,
    STOWAGE_S3_ENDPOINT: server.endpoint,
    STOWAGE_S3_REGION: server.region,
  }
}

function peerSettings(server: S3Server, bucket: string): Record<string, string> {
  return { BUCKET: bucket, ENDPOINT: server.endpoint, REGION: server.region }
}
