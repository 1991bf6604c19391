import { missingForCeph, startCeph } from '@stowage/testing/engines/ceph'
import { aBucket, credentialsOf, type S3Server } from '@stowage/testing/engines/s3-server'
import type { WorkloadContext } from '../workload.ts'

/** Ceph's S3 gateway. Each contender gets its own bucket, so that one contender's data does not slow down another. */
export async function startS3(context: WorkloadContext) {
  const reason = await missingForCeph()
  if (reason !== undefined) throw new Error(reason)
  const server = await startCeph()
  context.defer(server.close)
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
