import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Archive } from '@stowage/protocol'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import {
  aDeployment,
  aService,
  callJson,
  type Deployment,
  type JsonResponse,
} from '@stowage/testing/service/service'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'
import { storeManyLinks } from '@stowage/testing/service/shop'
import { API, complete, putPart, someBytes } from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'

const { ARCHIVE_BYTES = '120000000', ARCHIVE_ENTRIES = '2000', ARCHIVE_CUTS = '12' } = process.env
const { ARCHIVE_FILES = ARCHIVE_ENTRIES } = process.env
const BYTES = Number(ARCHIVE_BYTES)
const ENTRIES = Number(ARCHIVE_ENTRIES)
/** So many entries are files. The others are links, which can be stored many times as fast. */
const FILES = Math.min(ENTRIES, Number(ARCHIVE_FILES))
const CUTS = Number(ARCHIVE_CUTS)
/** Far more than two downloads at a time need, and far less than an archive. It grows with the entries, not with the bytes. */
const MAX_MEMORY = 220_000_000 + 1_500 * ENTRIES
const LARGE_FILES = 5
const REPLACEMENTS = 20
const CHUNK = 20_000_000
const PARALLEL = 16

// Without checksums, nothing knows the CRC-32 of a file before it is downloaded.
for (const checksums of ['off', 'on']) {
  test(`an archive of large files that is cut ${CUTS} times is the same, with checksums ${checksums}`, async (t) => {
    const random = seededRandom(t)
    const settings = { STOWAGE_CHUNK_SIZE: String(CHUNK), STOWAGE_CHECKSUMS: checksums }
    const services = await restartable(t, settings)
    const size = Math.ceil(BYTES / LARGE_FILES)
    const ids: string[] = []
    for (let file = 0; file < LARGE_FILES; file += 1) {
      ids.push(await upload(services.current(), { name: `Video ${file}.mp4`, size, seed: file }))
    }
    const rows = await checkArchive(t, services, { body: { ids }, entries: LARGE_FILES, random })
    await saveResult(`archive-of-large-files-checksums-${checksums}-${ENGINES}`, {
      command: commandOf(import.meta.filename, { ARCHIVE_BYTES, ARCHIVE_CUTS }),
      rows,
    })
  })
}

test(`an archive of ${ENTRIES} entries that is cut ${CUTS} times is the same`, async (t) => {
  const random = seededRandom(t)
  const deployment = await aDeployment(t)
  if (ENTRIES > FILES) {
    const preparing = await aService(t, {}, deployment)
    await storeManyLinks(preparing, ENTRIES - FILES, { filename: 'Shop.html', path: 'Photos/1' })
    await preparing.close()
  }
  const services = await restartable(t, {}, deployment)
  const files = Array.from({ length: FILES }, (_, index) => index)
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let file = files.pop(); file !== undefined; file = files.pop()) {
        const name = `Photo ${file % 500}.jpg`
        const path = `Photos/${file % 50}`
        await upload(services.current(), { name, path, size: (file * 37) % 3_000, seed: file })
      }
    }),
  )
  const body = { filter: { path: 'Photos' } }
  const rows = await checkArchive(t, services, { body, entries: ENTRIES, random })
  await saveResult(`archive-of-many-entries-${ENGINES}`, {
    command: commandOf(import.meta.filename, { ARCHIVE_ENTRIES, ARCHIVE_FILES, ARCHIVE_CUTS }),
    rows,
  })
})

test('a file that is replaced during a download is noticed when the download continues', async (t) => {
  const random = seededRandom(t)
  const services = await restartable(t, { STOWAGE_KEEP_VERSIONS: '0' })
  const size = 300_000
  const ids: string[] = []
  for (let file = 0; file < LARGE_FILES; file += 1) {
    ids.push(await upload(services.current(), { name: `${file}.bin`, size, seed: file }))
  }
  for (let round = 0; round < REPLACEMENTS; round += 1) {
    const { url, etag, bytes } = await createArchive(services.current(), { ids })
    const before = await readAll(await request(url))
    assert.equal(before.length, bytes)
    const replaced = random.between(0, LARGE_FILES - 1)
    const position = random.between(1, bytes - 1)
    const from = before.indexOf(`${replaced}.bin`)
    const replaces = ids[replaced] as string
    const seed = 100 + round
    await upload(services.current(), { name: `${replaced}.bin`, size, seed, replaces })
    const resume = { Range: `bytes=${position}-`, 'If-Range': `"${etag}"` }
    const resumed = await request(url, resume)
    const rest = await readAll(resumed)
    // Behind its bytes, the archive is still the same.
    if (position < from + size) {
      assert.equal(resumed.statusCode, 412)
      assert.equal(JSON.parse(rest.toString()).code, 'archive_outdated')
    } else if (resumed.statusCode === 206) assert.ok(rest.equals(before.subarray(position)))
    else assert.equal(resumed.statusCode, 412)
    // The new archive never continues the old one.
    const next = await createArchive(services.current(), { ids })
    assert.notEqual(next.etag, etag)
    const whole = await request(next.url, resume)
    assert.equal(whole.statusCode, 200)
    const after = await readAll(whole)
    assert.equal(after.length, next.bytes)
    assert.ok(after.includes(someBytes(size, seed * 10_000 + 1)))
  }
})

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Checked {
  body: object
  entries: number
  random: Random
}

/**
 * Compares a download with many interruptions with one that has none. Other programs must accept the archive. Returns the
 * rows of the result.
 */
async function checkArchive(
  t: TestContext,
  services: Restartable,
  { body, entries, random }: Checked,
): Promise<Record<string, string>> {
  const uploadMemory = await services.takePeak()
  // The next process only creates and sends archives.
  await services.restart()
  await services.takePeak()
  let started = performance.now()
  const archive = await createArchive(services.current(), body)
  t.diagnostic(
    `created in ${secondsSince(started)} s: ${archive.bytes} bytes, ${archive.files} files`,
  )
  assert.equal(archive.files + archive.links, entries)
  const creationMemory = await services.takePeak()
  const path = join(await aFolder(t), 'archive.zip')
  const file = createWriteStream(path)
  const cutHash = createHash('sha256')
  // Most of an archive is files, so the directory at the end is cut, too.
  const cuts = Array.from({ length: CUTS }, (_, index) =>
    index % 4 === 0
      ? archive.bytes - random.between(1, Math.min(60 * entries, archive.bytes - 1))
      : random.between(1, archive.bytes - 1),
  ).sort((a, b) => a - b)
  let { url } = archive
  let position = 0
  let restarts = 0
  started = performance.now()
  for (const [index, end] of [...new Set(cuts), archive.bytes].entries()) {
    const response = await request(url, {
      ...(position > 0 && { Range: `bytes=${position}-` }),
      'If-Range': `"${archive.etag}"`,
    })
    assert.equal(response.statusCode, position > 0 ? 206 : 200)
    assert.equal(response.headers['content-length'], String(archive.bytes - position))
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(0, end - position)
      cutHash.update(wanted)
      if (!file.write(wanted)) await once(file, 'drain')
      position += wanted.length
      if (position === end) break
    }
    response.destroy()
    assert.equal(position, end)
    if (index % 8 !== 3) continue
    restarts += 1
    await services.restart()
    // The same request returns the same archive, with the port of the new process.
    const again = await createArchive(services.current(), body)
    assert.deepEqual([again.id, again.etag], [archive.id, archive.etag])
    url = again.url
  }
  file.end()
  await finished(file)
  t.diagnostic(`${cuts.length} cuts and ${restarts} restarts: ${secondsSince(started)} s`)

  started = performance.now()
  const hash = createHash('sha256')
  for await (const chunk of (await request(url)) as AsyncIterable<Buffer>) hash.update(chunk)
  t.diagnostic(`without a cut: ${secondsSince(started)} s`)
  assert.equal(cutHash.digest('hex'), hash.digest('hex'))
  const sendMemory = await services.takePeak()
  const memory = { uploads: uploadMemory, creation: creationMemory, downloads: sendMemory }
  t.diagnostic(`peak memory of the service: ${JSON.stringify(memory)}`)
  const isTested = await testWithPrograms(t, path)
  assert.ok(Math.max(creationMemory, sendMemory) < MAX_MEMORY)
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  return {
    'Bytes of the archive': archive.bytes.toLocaleString('en'),
    Files: archive.files.toLocaleString('en'),
    Links: archive.links.toLocaleString('en'),
    Cuts: String(cuts.length),
    'Kills of the service between them': String(restarts),
    'Bytes that differ from those of a download without a cut': '0',
    'Errors of unzip, 7-Zip and Python': isTested ? '0' : 'not tested',
    'Peak memory of the service while the files are uploaded': megabytes(uploadMemory),
    'Peak memory of the service after a restart, until the archive is created':
      megabytes(creationMemory),
    'Peak memory of the service during the downloads': megabytes(sendMemory),
  }
}

/** Whether all of them are installed. */
async function testWithPrograms(t: TestContext, path: string): Promise<boolean> {
  const run = promisify(execFile)
  for (const [program, args] of [
    ['unzip', ['-tqq', path]],
    ['7z', ['t', '-bd', path]],
    ['python3', ['-m', 'zipfile', '-t', path]],
  ] as const) {
    const missing = await ensureInstalled(program)
    if (missing !== undefined) {
      skipUnlessCi(t, missing)
      return false
    }
    const started = performance.now()
    const { stdout } = await run(program, args, { maxBuffer: 50_000_000 })
    const last = stdout.trim().split('\n').slice(-4).join(', ')
    t.diagnostic(`${program}: ${secondsSince(started)} s ${last}`)
  }
  return true
}

interface Restartable {
  current(): ServiceProcess
  /** Kills the service, and starts it again with the same data. */
  restart(): Promise<void>
  /** The peak memory of the current process since its start, and of those that were killed since the last call. */
  takePeak(): Promise<number>
}

async function restartable(
  t: TestContext,
  settings: Record<string, string>,
  deployment?: Deployment,
): Promise<Restartable> {
  let current = await aServiceProcess(t, settings, deployment)
  let peak = 0
  return {
    current: () => current,
    async restart() {
      peak = Math.max(peak, await readMemory(current.pid, 'VmHWM'))
      await current.stop('SIGKILL')
      current = await aServiceProcess(t, settings, current.deployment)
    },
    async takePeak() {
      const taken = Math.max(peak, await readMemory(current.pid, 'VmHWM'))
      peak = 0
      return taken
    },
  }
}

async function createArchive({ baseUrl }: ServiceProcess, body: object): Promise<Archive> {
  const url = `${baseUrl}${API}/archives`
  const response = await callPatiently(() => callJson(url, { method: 'POST', body }))
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

async function request(
  url: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const send = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).once('error', reject)
    })
  const read = ({ statusCode, headers }: IncomingMessage) => ({
    status: statusCode,
    retryAfter: headers['retry-after'],
  })
  return retryWhileBusy(send, read, (response) => response.resume())
}

const MAX_TRIES = 30

/** Retries 503 after the time that `Retry-After` names, as clients do: the machine may be busy. */
async function retryWhileBusy<Response>(
  send: () => Promise<Response>,
  read: (response: Response) => {
    status: number | undefined
    retryAfter: string | null | undefined
  },
  discard: (response: Response) => unknown = () => {},
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await send()
    const { status, retryAfter } = read(response)
    if (status !== 503 || !retryAfter || tries === MAX_TRIES) return response
    discard(response)
    await pause(Number(retryAfter) * 1000)
  }
}

function callPatiently(call: () => Promise<JsonResponse>): Promise<JsonResponse> {
  return retryWhileBusy(call, ({ status, headers }) => ({
    status,
    retryAfter: headers.get('retry-after'),
  }))
}

async function upload(
  { baseUrl }: ServiceProcess,
  {
    seed,
    replaces,
    ...file
  }: { name: string; path?: string; size: number; seed: number; replaces?: string },
): Promise<string> {
  const path = replaces === undefined ? '/assets/signed' : `/assets/${replaces}/signed`
  const { status, body: session } = await callPatiently(() =>
    callJson(`${baseUrl}${API}${path}`, { method: 'POST', body: file }),
  )
  assert.equal(status, 201, JSON.stringify(session))
  for (const { start, end, part, url } of session.urls) {
    const bytes = someBytes(end - start, seed * 10_000 + part)
    const response = await retryWhileBusy(
      () => putPart(url, bytes),
      ({ status, headers }) => ({ status, retryAfter: headers.get('retry-after') }),
    )
    assert.equal(response.status, 200)
    await response.bytes()
  }
  const completed = await callPatiently(() => complete(baseUrl, session))
  assert.equal(completed.status, 200, JSON.stringify(completed.body))
  return session.id
}

function seededRandom(t: TestContext): Random {
  const seed = seedOf('ARCHIVE_SEED')
  t.diagnostic(`ARCHIVE_SEED=${seed} repeats the choices`)
  return aRandom(seed)
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1)
}
