import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { readConfig } from '../../config/config.ts'
import { testStorageContract } from '../storage.contract.ts'
import { openClient } from './s3-client.ts'
import { openS3Storage } from './s3-storage.ts'

/** The minimum of S3. */
const MIN_PART_SIZE = 5 * 1024 * 1024

/** Runs the contract on your own bucket, if STOWAGE_TEST_STORAGE names one, and leaves nothing in it. */
const {
  STOWAGE_TEST_STORAGE: STOWAGE_STORAGE,
  STOWAGE_S3_ENDPOINT,
  STOWAGE_S3_REGION,
  STOWAGE_S3_PATH_STYLE,
} = process.env

if (STOWAGE_STORAGE !== undefined) {
  const { storage: config } = readConfig({
    STOWAGE_STORAGE,
    STOWAGE_S3_ENDPOINT,
    STOWAGE_S3_REGION,
    STOWAGE_S3_PATH_STYLE,
  })
  if (config.kind !== 's3') throw new Error('STOWAGE_TEST_STORAGE must be a bucket: s3://…')
  testStorageContract(STOWAGE_STORAGE, async (t) => {
    // The contract uses its own prefix, so that it does not change the identity of a service that uses the bucket.
    const own = { ...config, prefix: `${config.prefix}contract-${randomUUID()}/` }
    const client = openClient(own)
    cleanUp(t, () => client.destroy())
    const identity = { Bucket: own.bucket, Key: `${own.prefix}stowage-identity` }
    cleanUp(t, () => client.send(new DeleteObjectCommand(identity)))
    const storage = await openS3Storage({ ...own, clock: () => new Date() })
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: MIN_PART_SIZE, latePart: 'is refused' }
  })
}
