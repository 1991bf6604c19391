import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import {
  API,
  cancel,
  complete,
  downloadUrl,
  putPart,
  putParts,
  requestSession,
  signatureOf,
  someBytes,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

test('the log never contains a signature of a URL', async (t) => {
  // S3 refuses smaller parts.
  const chunk = isOnS3 ? 5 * 2 ** 20 : 100
  const settings = { STOWAGE_LOG: 'trace', STOWAGE_CHUNK_SIZE: String(chunk) }
  const service = await aServiceProcess(t, settings)
  const { baseUrl } = service
  const bytes = someBytes(2.5 * chunk)
  const session = await requestSession(baseUrl, { bytes })
  const first = session.urls[0]?.url ?? ''
  await complete(baseUrl, session, await putParts(session, bytes))
  const resumed = await callJson(`${baseUrl}${API}/assets/${session.id}/upload`, { method: 'GET' })
  const fileUrl = await downloadUrl(baseUrl, session.id)
  const downloaded = Buffer.from(await (await fetch(fileUrl)).arrayBuffer())
  assert.ok(downloaded.equals(bytes))

  const cancelled = await requestSession(baseUrl, { bytes })
  const open = await callJson(`${baseUrl}${API}/assets/${cancelled.id}/upload`, { method: 'GET' })
  await cancel(baseUrl, cancelled)
  const storage = new URL(first).origin
  const part = bytes.subarray(0, chunk)
  const refused = [
    await putPart(first, part),
    await putPart(first, bytes.subarray(0, 10)),
    await putPart(`${first}A`, part),
    await putPart(cancelled.urls[0]?.url ?? '', part),
    await fetch(first.replace(storage, baseUrl), { method: 'PUT' }),
    await fetch(fileUrl.replace(storage, baseUrl)),
    await fetch(first),
  ]
  for (const { status } of refused) assert.ok(status >= 400 && status < 500, `${status}`)
  // Failures of the storage are logged too.
  const restoreStorage = await service.deployment.backdoor.makeUnavailable()
  const request = { method: 'POST', body: { name: 'a.bin', size: 1 } }
  // The service may use what it knew of the disk a moment ago.
  await until('a call fails because of the storage', async () => {
    const { status, body } = await callJson(`${baseUrl}${API}/assets/signed`, request)
    return status !== 200 && body.code === 'storage_unavailable'
  })
  await restoreStorage()
  await until('the failure is in the log', () =>
    /storage is unavailable/.test(service.output().stderr),
  )
  assert.equal(await service.stop('SIGTERM'), 0)

  const { stdout, stderr } = service.output()
  assert.ok(stderr.includes(`/assets/${session.id}/uploaded`), 'the calls are in the log')
  const sessions = [session, cancelled, resumed.body, open.body]
  const partUrls = sessions.flatMap(({ urls }) => urls.map(({ url }: { url: string }) => url))
  const signatures = [...partUrls, fileUrl].map(signatureOf)
  assert.ok(signatures.length >= 10 && signatures.every((signature) => signature.length > 40))
  for (const signature of signatures) {
    assert.ok(!`${stdout}${stderr}`.includes(signature), `${signature} is in the log`)
  }
})
