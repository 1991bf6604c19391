import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'

// RFC 9110, 14.2. Not tested on S3, because S3 servers differ in this.
test('the disk storage ignores a Range header that is malformed or has several ranges', async (t) => {
  const { baseUrl } = await aService(t)
  const bytes = someBytes(25)
  const { id } = await uploadFile(baseUrl, { bytes })
  for (const range of ['bytes=abc', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4']) {
    const headers = { Range: range }
    const response = await fetch(`${baseUrl}${API}/assets/${id}/download`, { headers })
    assert.equal(response.status, 200, range)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes, range)
  }
})
