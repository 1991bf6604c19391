import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CompletedPart, UploadSession } from '@stowage/protocol'
import { cutFile, readBytesAt, sha256OfFile, writeFileOf } from '@stowage/testing/machine/file'
import {
  curlDownload,
  curlJson,
  curlPart,
  missingForCurl,
  skipUnlessCi,
} from '@stowage/testing/machine/programs'
import { aDeployment, aFolder } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

const CHUNK = 100_000_000
const NO_CURL = await missingForCurl()

const FILES = [
  { size: 101_000_000, ranges: ['0-100000000', '100000000-101000000'], methods: ['POST'] },
  { size: 0, ranges: ['0-0'], methods: ['POST', 'PUT'] },
]

for (const { size, ranges, methods } of FILES) {
  test(`curl can upload and download ${size} bytes, completed with ${methods.join(' and with ')}`, async (t) => {
    if (NO_CURL !== undefined) return skipUnlessCi(t, NO_CURL)
    const { baseUrl } = await aServiceProcess(t, {}, await aDeployment(t, { isReliable: true }))
    const folder = await aFolder(t)
    const file = join(folder, 'file.bin')
    await writeFileOf(file, size)
    const sha256 = await sha256OfFile(file)

    for (const method of methods) {
      const session = await requestByCurl(baseUrl, size)
      assert.equal(session.chunk_size, CHUNK)
      assert.deepEqual(
        session.urls.map(({ part, start, end }) => [part, `${start}-${end}`]),
        ranges.map((range, index) => [index + 1, range]),
      )
      const asset = `${baseUrl}${API}/assets/${session.id}`
      const parts = await sendByCurl(session, file, folder)
      const completion = { upload_id: session.upload_id, parts }
      const response = await curlJson(method, `${asset}/uploaded`, completion)
      assert.equal(response.status, 200, JSON.stringify(response.body))
      const { id, status, bytes } = response.body.data
      assert.deepEqual({ id, status, bytes }, { id: session.id, status: 'ready', bytes: size })

      const copy = join(folder, 'copy.bin')
      assert.equal(await curlDownload(`${asset}/download`, copy), 200)
      assert.equal((await stat(copy)).size, size)
      assert.equal(await sha256OfFile(copy), sha256)
      if (size <= CHUNK) continue
      const acrossParts = { start: CHUNK - 10, end: CHUNK + 10 }
      const option = ['--range', `${acrossParts.start}-${acrossParts.end - 1}`]
      assert.equal(await curlDownload(`${asset}/download`, copy, option), 206)
      assert.deepEqual(await readFile(copy), await readBytesAt(file, acrossParts))
    }
  })
}

async function requestByCurl(baseUrl: string, size: number): Promise<UploadSession> {
  const body = { name: 'file.bin', size, mime: 'application/octet-stream' }
  const response = await curlJson('POST', `${baseUrl}${API}/assets/signed`, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** Sends the parts with one curl process each, concurrently, starting with the last part. */
async function sendByCurl(
  session: UploadSession,
  file: string,
  folder: string,
): Promise<CompletedPart[]> {
  const slices = session.urls.toReversed().map((part) => ({
    ...part,
    slice: join(folder, `slice-${part.part}`),
  }))
  for (const { slice, start, end } of slices) await cutFile(file, slice, { start, end })
  return Promise.all(
    slices.map(async ({ part, url, slice }) => ({
      PartNumber: part,
      ETag: await curlPart(url, slice),
    })),
  )
}
