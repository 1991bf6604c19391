import { cleanUp } from '../../../test/support/clean-up.ts'
import { readConfig } from '../../config/config.ts'
import { testStorageContract } from '../storage.contract.ts'
import { openS3Storage } from './s3-storage.ts'

/** As S3 itself has it. */
const SMALLEST_PART = 5 * 1024 * 1024

/** The contract on a bucket of your own, if the environment names one. It is left as it was. */
const {
  STOWAGE_TEST_STORAGE: STOWAGE_STORAGE,
  STOWAGE_S3_ENDPOINT,
  STOWAGE_S3_REGION,
  STOWAGE_S3_PATH_STYLE,
} = process.env

if (STOWAGE_STORAGE !== undefined) {
  const { storage: place } = readConfig({
    STOWAGE_STORAGE,
    STOWAGE_S3_ENDPOINT,
    STOWAGE_S3_REGION,
    STOWAGE_S3_PATH_STYLE,
  })
  if (place.kind !== 's3') throw new Error('STOWAGE_TEST_STORAGE: name a bucket, s3://…')
  testStorageContract(STOWAGE_STORAGE, async (t) => {
    const storage = await openS3Storage({ ...place, clock: () => new Date() })
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: SMALLEST_PART, latePart: 'is refused' }
  })
}
