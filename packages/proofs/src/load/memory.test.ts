import assert from 'node:assert/strict'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import type { PartUrl } from '@stowage/protocol'
import { readMemory, watchMemory } from '@stowage/testing/machine/memory-watch'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { aDeployment, callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'
import { aPattern, type Pattern } from './pattern.ts'

/* Runs alone: it measures the memory of a service. */

const FILES = 8
/** All files together are several times the memory limit, so that buffering them would exceed it. */
const SIZE = Number(process.env.MEMORY_FILE_SIZE ?? 120_000_000)
const PART = 100_000_000
const CONCURRENT_PARTS = 3
const LIMIT = 180_000_000

test(`the process stays under 180 MB of memory while eight files of ${inMegabytes(SIZE)} are uploaded and downloaded concurrently`, async (t) => {
  const reason = await reasonToSkip()
  if (reason !== undefined) return skipUnlessCi(t, reason)
  const deployment = await aDeployment(t, { isReliable: true })
  const service = await aServiceProcess(t, { STOWAGE_LOG: 'warn' }, deployment)
  const pattern = aPattern()
  const watch = watchMemory(service.pid)
  t.after(() => watch.close())
  const files = Array.from({ length: FILES }, (_, file) => file)
  const peaks: number[] = []

  async function phase<Result>(name: string, work: (file: number) => Promise<Result>) {
    const start = performance.now()
    const results = await Promise.all(files.map(work))
    const seconds = (performance.now() - start) / 1000
    const { peak, samples } = watch.takePeak()
    peaks.push(peak)
    assert.ok(samples > seconds, `${samples} samples in ${seconds} s are too few`)
    t.diagnostic(
      `${name}: ${seconds.toFixed(1)} s, peak ${inMegabytes(peak)} of ${samples} samples`,
    )
    return results
  }

  const ids = await phase('upload', (file) => upload(service.baseUrl, pattern, file))
  const lengths = await phase('download', async (file) => {
    const url = `${service.baseUrl}${API}/assets/${ids[file]}/download`
    const { headers } = await callJson(url, { method: 'GET' })
    return pattern.get(headers.get('location') ?? '', file)
  })
  assert.deepEqual(lengths, Array(FILES).fill({ status: 200, length: SIZE }))
  const highest = await readMemory(service.pid, 'VmHWM')
  t.diagnostic(`peak memory: ${inMegabytes(highest)}`)
  assert.ok(Math.max(...peaks, highest) < LIMIT, `${inMegabytes(highest)} is too much`)
  assert.equal(service.failures(), '')
})

async function reasonToSkip(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has the memory of a process in /proc'
  const { bavail, bsize } = await statfs(tmpdir())
  const needed = FILES * SIZE * 1.1
  if (bavail * bsize >= needed) return undefined
  return `${tmpdir()} has ${inMegabytes(bavail * bsize)} free, but the test needs ${inMegabytes(needed)}`
}

async function upload(baseUrl: string, pattern: Pattern, file: number): Promise<string> {
  const body = { name: `file-${file}.bin`, size: SIZE, mime: 'application/octet-stream' }
  const { status, body: session } = await callJson(`${baseUrl}${API}/assets/signed`, {
    method: 'POST',
    body,
  })
  assert.equal(status, 201, JSON.stringify(session))
  const waiting: PartUrl[] = session.urls
  assert.equal(waiting.length, Math.ceil(SIZE / PART))
  async function putWaitingParts(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { start, end, url } = next
      assert.equal(await pattern.put(url, { file, start, end }), 200)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_PARTS }, putWaitingParts))
  const completed = await callJson(`${baseUrl}${API}/assets/${session.id}/uploaded`, {
    method: 'POST',
    body: { upload_id: session.upload_id },
  })
  assert.equal(completed.status, 200, JSON.stringify(completed.body))
  assert.equal(completed.body.data.status, 'ready')
  return session.id
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
