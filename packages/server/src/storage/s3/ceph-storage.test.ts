import { test } from 'node:test'
import { aCephGateway, whyNoCeph } from '../../../test/support/ceph.ts'
import { cleanUp } from '../../../test/support/clean-up.ts'
import { skipUnlessCi } from '../../../test/support/requirement.ts'
import { openBucket } from '../../../test/support/s3-server.ts'
import { testStorageContract } from '../storage.contract.ts'

/** S3's own lower limit for all parts but the last. */
const CHUNK = 5 * 1024 * 1024

const missing = await whyNoCeph()
if (missing !== undefined) {
  test('Ceph', (t) => skipUnlessCi(t, missing))
} else {
  const gateway = await aCephGateway()
  testStorageContract('ceph', async (t) => {
    const storage = await openBucket(gateway, 'some/prefix/')
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: CHUNK }
  })
}
