import assert from 'node:assert/strict'
import type { PartUrl } from '@stowage/protocol'
import { API, putPart } from '@stowage/testing/service/upload'
import { partBytes } from '../model/clients.ts'
import type { Harness } from './harness.ts'

/** Checks that every open upload can be resumed and completed. */
export async function finishOpenUploads({ context, account }: Harness): Promise<number> {
  const open = await Array.fromAsync(context.storage.listUploads())
  for (const { key } of open) {
    const resumed = await account.call('GET', `${API}/assets/${key}/upload`)
    assert.equal(resumed.status, 200, resumed.text)
    for (const part of resumed.body.urls as PartUrl[]) {
      const response = await putPart(part.url, partBytes(part, 3))
      assert.equal(response.status, 200, await response.text())
    }
    const body = { upload_id: resumed.body.upload_id, parts: [] }
    const completed = await account.call('POST', `${API}/assets/${key}/uploaded`, body)
    assert.equal(completed.status, 200, completed.text)
  }
  return open.length
}
