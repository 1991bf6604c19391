import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { putPart, requestSession, someBytes } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('uploads lists unfinished uploads with the bytes that have arrived', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '1000' })
  const bytes = someBytes(2500)
  const { id, urls } = await requestSession(baseUrl, { name: 'course.mp4', bytes })
  await requestSession(baseUrl, { name: 'tab here.bin', bytes })
  for (const { start, end, url } of urls.slice(0, 2)) await putPart(url, bytes.subarray(start, end))
  const cli = await aCli(t, baseUrl)

  const all = await cli.run('uploads')
  assert.equal(all.code, 0, all.stderr)
  const [head, newest, oldest] = all.stdout.trimEnd().split('\n')
  assert.match(head ?? '', /^ID +NAME +RECEIVED +SIZE +STARTED BY +STARTED +EXPIRES$/)
  assert.match(newest ?? '', / {2}tab here\.bin +0 B +2\.5 KB +20\d\d-\d\d-\d\d \d\d:\d\d /i)
  assert.match(oldest ?? '', new RegExp(`^${id}  course\\.mp4 +2 KB +2\\.5 KB `, 'i'))

  const found = await cli.run('uploads', 'COURSE', '--json')
  const [upload] = JSON.parse(found.stdout)
  assert.deepEqual([upload.id, upload.received_bytes, upload.started_by], [id, 2000, null])
  const none = await cli.run('uploads', 'no such thing')
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'No results.\n'])
})
