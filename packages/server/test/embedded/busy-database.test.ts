import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'

test('while another process holds the write lock, reads succeed and a write waits', async (t) => {
  const service = await aServiceProcess(t)
  // A job of the service may be writing.
  const other = new DatabaseSync(join(service.deployment.folder, 'stowage.db'), { timeout: 10_000 })
  t.after(() => other.close())
  other.exec('begin immediate')
  const link = { filename: 'a link', url: 'https://example.com' }
  const write = callJson(`${service.baseUrl}${API}/assets/store`, { method: 'POST', body: link })
  // If the process were blocked, some of these responses would arrive only after the write was refused.
  for (let count = 0; count < 50; count += 1) {
    const health = await callJson(`${service.baseUrl}/healthz`, { method: 'GET' })
    assert.equal(health.status, 200)
    const list = await callJson(`${service.baseUrl}${API}/assets`, { method: 'GET' })
    assert.equal(list.body.meta.total, 0)
  }
  other.exec('rollback')
  assert.equal((await write).status, 201)
})
