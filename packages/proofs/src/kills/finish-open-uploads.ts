import assert from 'node:assert/strict'
import type { PartUrl } from '@stowage/protocol'
import { API, putPart } from '@stowage/testing/service/upload'
import type { Harness } from '../interleavings/harness.ts'
import { partBytes } from '../model/content.ts'

/** Checks that every open upload can be resumed and completed. */
export async function finishOpenUploads({ context, account }: Harness): Promise<number> {
  const open = await Array.fromAsync(context.storage.listUploads())
  const data = context.database.of(account.id)
  for (const { key } of open) {
    const upload = await data.findUpload(key)
    // The path of a replacement contains the ID of its asset.
    const path = `${API}/assets/${upload?.replaces?.assetId ?? key}`
    const resumed = await account.call('GET', `${path}/upload?upload_id=${upload?.id}`)
    assert.equal(resumed.status, 200, resumed.text)
    for (const part of resumed.body.urls as PartUrl[]) {
      const response = await putPart(part.url, partBytes(part, 3))
      assert.equal(response.status, 200, await response.text())
    }
    const body = { upload_id: resumed.body.upload_id, parts: [] }
    const completed = await account.call('POST', `${path}/uploaded`, body)
    assert.equal(completed.status, 200, completed.text)
  }
  return open.length
}
