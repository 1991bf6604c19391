import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { JOBS, takeOverJobs } from '@stowage/testing/service/jobs'
import { aFolder, aService, type TestService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { replaceFile } from '../../support/versions.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const run = promisify(execFile)

/** Uploads a file to a folder. */
async function upload(service: TestService, path: string, bytes: Buffer): Promise<string> {
  const at = path.lastIndexOf('/')
  const { id } = await uploadFile(service.baseUrl, { name: path.slice(at + 1), bytes })
  if (at > 0) {
    await service.call('PUT', `${API}/assets/${id}`, { path: path.slice(0, at) })
  }
  return id
}

async function createArchive({ call }: TestService, body: object) {
  const response = await call('POST', `${API}/archives`, body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

/** No step takes longer, even on a busy machine. A response that hangs must fail the test, and not the run. */
const TIMEOUT_MS = 60_000

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function someFiles(service: TestService) {
  const contents: Record<string, Buffer> = {
    'course/week 1/Übung.pdf': someBytes(35, 1),
    'course/empty.txt': Buffer.alloc(0),
    'large.bin': someBytes(200_000, 2),
    'course/week 2/notes.txt': someBytes(7, 3),
  }
  const ids: string[] = []
  for (const [path, bytes] of Object.entries(contents)) ids.push(await upload(service, path, bytes))
  return { contents, ids }
}

test('the archive contains all files with their folders, and other programs accept it', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '70000' })
  const { contents, ids } = await someFiles(service)
  const link = await storeLink(service, { filename: 'Forum', url: 'https://example.com/ä?a=b' })
  const archive = await createArchive(service, { ids: [...ids, link.id] })
  assert.deepEqual([archive.files, archive.links, archive.filename], [4, 1, 'files.zip'])

  const { response, bytes } = await get(archive.url)
  assert.equal(response.status, 200)
  assert.equal(bytes.length, archive.bytes)
  assert.equal(response.headers.get('content-length'), String(archive.bytes))
  assert.equal(response.headers.get('etag'), `"${archive.etag}"`)
  assert.equal(response.headers.get('accept-ranges'), 'bytes')
  assert.equal(response.headers.get('content-type'), 'application/zip')
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="files.zip"/,
  )
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const head = await fetch(archive.url, { method: 'HEAD', signal })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-length'), String(archive.bytes))

  const extracted = await extract(t, bytes)
  if (extracted === undefined) return
  for (const [path, content] of Object.entries(contents)) {
    assert.deepEqual(await readFile(join(extracted, path)), content, path)
  }
  assert.equal(
    await readFile(join(extracted, 'Forum.url'), 'utf8'),
    '[InternetShortcut]\r\nURL=https://example.com/%C3%A4?a=b\r\n',
  )
  assert.equal((await stat(join(extracted, 'large.bin'))).mode & 0o777, 0o644)
  // The CRCs were computed by the first download. They must not change its bytes.
  assert.deepEqual((await get(archive.url)).bytes, bytes)
})

test('every range of an archive has the same bytes as the whole archive', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '70000' })
  const { ids } = await someFiles(service)
  // In the first archive, nothing has read the files yet, so that the CRCs follow them.
  const ranged = await createArchive(service, { ids })
  const pieces: Buffer[] = []
  for (let start = 0, step = 1; start < ranged.bytes; step = (step * 7 + 3) % 30_000) {
    const end = Math.min(start + step, ranged.bytes)
    const { response, bytes } = await get(ranged.url, { Range: `bytes=${start}-${end - 1}` })
    assert.equal(response.status, 206)
    assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${ranged.bytes}`)
    assert.equal(bytes.length, end - start)
    pieces.push(bytes)
    start = end
  }
  const whole = (await get(ranged.url)).bytes
  assert.deepEqual(Buffer.concat(pieces), whole)
  await extract(t, whole)

  const outside = await get(ranged.url, { Range: `bytes=${ranged.bytes}-` })
  assert.equal(outside.response.status, 416)
  assert.equal(outside.response.headers.get('content-range'), `bytes */${ranged.bytes}`)
  const end = await get(ranged.url, { Range: 'bytes=-22' })
  assert.deepEqual(end.bytes, whole.subarray(-22))
})

test('the same request returns the same archive until a file changes', async (t) => {
  const service = await aService(t)
  const { ids } = await someFiles(service)
  const first = await createArchive(service, { ids })
  const { bytes } = await get(first.url)
  const again = await createArchive(service, { ids: ids.toReversed() })
  assert.deepEqual([again.id, again.etag], [first.id, first.etag])
  assert.deepEqual((await get(again.url)).bytes, bytes)

  await replaceFile(service, ids[0] ?? '', { bytes: someBytes(36, 9) })
  const other = await createArchive(service, { ids })
  assert.notEqual(other.etag, first.etag)
  // A client that continues its download with the new URL gets the whole new archive, never a mixture.
  const resumed = await get(other.url, { Range: 'bytes=100-', 'If-Range': `"${first.etag}"` })
  assert.equal(resumed.response.status, 200)
  assert.equal(resumed.bytes.length, other.bytes)
  const refused = await get(other.url, { Range: 'bytes=100-', 'If-Match': `"${first.etag}"` })
  assert.equal(refused.response.status, 412)
  // The older version is kept, so the first archive still has it.
  assert.deepEqual((await get(first.url)).bytes, bytes)
})

test('a download does not resume after a file was replaced whose older version is not kept', async (t) => {
  const service = await aService(t, { STOWAGE_KEEP_VERSIONS: '0' })
  const { ids, contents } = await someFiles(service)
  const archive = await createArchive(service, { ids })
  const { bytes } = await get(archive.url)
  await replaceFile(service, ids[2] ?? '', { bytes: someBytes(200_000, 8) })
  const refused = await get(archive.url, { Range: 'bytes=0-' })
  assert.equal(refused.response.status, 412)
  const body = JSON.parse(refused.bytes.toString())
  assert.equal(body.code, 'archive_outdated')
  assert.match(body.message, /: large\.bin\. Create the archive again/)
  // Behind the replaced file, the bytes are still the same.
  const at = bytes.indexOf(contents['course/week 2/notes.txt'] ?? '')
  const rest = await get(archive.url, { Range: `bytes=${at}-` })
  assert.deepEqual(rest.bytes, bytes.subarray(at))
})

test('a file that is replaced and removed after the check, before its first byte is read, is noticed', async (t) => {
  let onChecked: (() => Promise<void>) | undefined
  const settings = { STOWAGE_KEEP_VERSIONS: '0', STOWAGE_CHUNK_SIZE: '70000' }
  const service = await aService(t, settings, undefined, {
    wrap: ({ database }) => ({
      database: {
        ...database,
        async readObjects(keys) {
          const states = await database.readObjects(keys)
          const run = onChecked
          onChecked = undefined
          await run?.()
          return states
        },
      },
    }),
  })
  const context = await takeOverJobs(service)
  const { ids, contents } = await someFiles(service)
  const archive = await createArchive(service, { ids })
  const { bytes } = await get(archive.url)
  const at = bytes.indexOf(contents['large.bin'] ?? '') + 1
  onChecked = async () => {
    await replaceFile(service, ids[2] ?? '', { bytes: someBytes(200_000, 8) })
    await JOBS.removeObjects(context)
  }
  const refused = await get(archive.url, { Range: `bytes=${at}-` })
  assert.equal(onChecked, undefined)
  assert.equal(refused.response.status, 412)
  assert.equal(codeOf(refused), 'archive_outdated')
})

test('a download does not resume in the directory if it needs the CRC-32 of a deleted file', async (t) => {
  const service = await aService(t)
  const context = await takeOverJobs(service)
  const { ids } = await someFiles(service)
  const archive = await createArchive(service, { ids })
  const { bytes } = await get(archive.url)
  await service.call('DELETE', `${API}/assets/${ids[2]}?permanent=true`)
  await JOBS.removeObjects(context)
  const at = bytes.lastIndexOf('large.bin')
  const refused = await get(archive.url, { Range: `bytes=${at}-` })
  assert.equal(refused.response.status, 412)
  assert.equal(codeOf(refused), 'archive_outdated')
  const end = await get(archive.url, { Range: 'bytes=-22' })
  assert.deepEqual(end.bytes, bytes.subarray(-22))
})

test('an archive with a deleted file is refused, and works again when the file is restored', async (t) => {
  const service = await aService(t)
  const { ids } = await someFiles(service)
  const archive = await createArchive(service, { ids })
  const { bytes } = await get(archive.url)
  await service.call('DELETE', `${API}/assets/${ids[1]}`)
  const refused = await get(archive.url)
  assert.equal(refused.response.status, 412)
  assert.match(refused.bytes.toString(), /course\/empty\.txt/)
  await service.call('POST', `${API}/assets/${ids[1]}/restore`)
  assert.deepEqual((await get(archive.url)).bytes, bytes)
})

test('a filter selects all files that match, and a missing asset is refused', async (t) => {
  const service = await aService(t)
  const { ids } = await someFiles(service)
  const folder = await createArchive(service, { filter: { path: 'course/' } })
  assert.deepEqual([folder.files, folder.filename], [3, 'course.zip'])
  assert.equal((await createArchive(service, { filter: {} })).files, 4)
  const names = await createArchive(service, { filter: { search: 'note' }, filename: 'My notes' })
  assert.deepEqual([names.files, names.filename], [1, 'My notes.zip'])
  const unknown = '01981d2c-5a7e-7f64-8a71-4c5d6e7f8091'
  const { call } = service
  const refusals = [
    [{ ids: [...ids, unknown] }, 'ids', `contains unknown values: ${unknown}`],
    [{ filter: { path: 'other' } }, 'filter', 'matches no assets'],
    [{}, 'ids', 'must be given, unless filter is'],
    [{ ids, filter: {} }, 'filter', 'must be omitted if ids is given'],
  ] as const
  for (const [body, field, problem] of refusals) {
    const refused = await call('POST', `${API}/archives`, body)
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.errors, { [field]: [problem] })
  }
})

test('the URL of an archive is refused if it is changed, or if its key was revoked', async (t) => {
  const admin = 'an-admin-key-of-at-least-32-characters'
  const service = await aService(t, { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: admin })
  const { call } = service
  const as = (key: string) => ({ Authorization: `Bearer ${key}` })
  const link = { filename: 'Forum', url: 'https://example.com' }
  const asset = (await call('POST', `${API}/assets/store`, link, as(admin))).body.data
  const created = (await call('POST', `${API}/keys`, { name: 'a', scope: 'read' }, as(admin))).body
  const body = { ids: [asset.id] }
  const archive = await call('POST', `${API}/archives`, body, as(created.data.secret))
  assert.equal(archive.status, 200)
  const { url } = archive.body.data
  assert.equal((await get(url)).response.status, 200)
  const changed = await get(`${url.slice(0, -1)}${url.endsWith('A') ? 'E' : 'A'}`)
  assert.deepEqual([changed.response.status, codeOf(changed)], [403, 'signature_invalid'])
  const longer = await get(url.replace(/expires=\d+/, 'expires=9999999999'))
  assert.deepEqual([longer.response.status, codeOf(longer)], [403, 'signature_invalid'])
  await call('DELETE', `${API}/keys/${created.data.id}`, undefined, as(admin))
  const revoked = await get(url)
  assert.deepEqual([revoked.response.status, codeOf(revoked)], [403, 'forbidden'])
})

function codeOf({ bytes }: { bytes: Buffer }): string {
  return JSON.parse(bytes.toString()).code
}

/** Tests the archive with three programs, and extracts it with one of them. Undefined if one is missing. */
async function extract(t: TestContext, bytes: Buffer): Promise<string | undefined> {
  for (const program of ['unzip', '7z', 'python3'] as const) {
    const missing = await ensureInstalled(program)
    if (missing === undefined) continue
    skipUnlessCi(t, missing)
    return undefined
  }
  const folder = await aFolder(t)
  const file = join(folder, 'a.zip')
  await writeFile(file, bytes)
  // These programs ask what to do with a file that they cannot read.
  const options = { timeout: TIMEOUT_MS }
  await run('unzip', ['-tqq', file], options)
  await run('7z', ['t', '-p-', file], options)
  await run('python3', ['-m', 'zipfile', '-t', file], options)
  const extracted = join(folder, 'extracted')
  await mkdir(extracted)
  await run('unzip', ['-qo', file, '-d', extracted], options)
  return extracted
}
