import { after, test } from 'node:test'
import { startCeph, whyNoCeph } from '../../../test/support/ceph.ts'
import { cleanUp } from '../../../test/support/clean-up.ts'
import { skipUnlessCi } from '../../../test/support/requirement.ts'
import { openBucket } from '../../../test/support/s3-server.ts'
import { testStorageContract } from '../storage.contract.ts'

const CHUNK = 100_000

const missing = await whyNoCeph()
if (missing !== undefined) {
  test('Ceph', (t) => skipUnlessCi(t, missing))
} else {
  const gateway = await startCeph()
  after(() => gateway.close())
  testStorageContract('ceph', async (t) => {
    const storage = await openBucket(gateway, 'some/prefix/')
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: CHUNK, latePart: 'is refused' }
  })
}
