import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { sha256OfFile, writeFileOf } from '@stowage/testing/machine/file'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { until } from '@stowage/testing/machine/until'
import { API, listAll } from '@stowage/testing/service/upload'
import { aProxiedService } from './support/proxied-service.ts'
import { startUploadProcess } from './support/upload-process.ts'

/* Runs on postgres+ceph. */
/* Runs in its own process: it takes long, so it runs beside the others. */

/** Set `KILLED_SIZE=2000000000 KILLED_CHUNK=100000000` for a realistic file. */
const SIZE = Number(process.env.KILLED_SIZE ?? 300_000_000)
const CHUNK = process.env.KILLED_CHUNK ?? '10000000'
/** The client is killed when these shares of the file have been sent. */
const KILLS = [0.2, 0.45, 0.7]
const MEMORY_LIMIT = 150_000_000

test('after three kills, an upload can be finished from another working folder, and little is sent twice', async (t) => {
  const { api, storage, baseUrl } = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: CHUNK },
  })
  const path = join(await aFolder(t), 'film.mov')
  await writeFileOf(path, SIZE)
  const stateFolder = await aFolder(t)
  let memory = 0
  const start = async () => {
    const uploadArguments = { baseUrl: api.url, path, stateFolder, folder: await aFolder(t) }
    return startUploadProcess(t, uploadArguments)
  }
  for (const share of KILLS) {
    const { child, pid, ended } = await start()
    const isFar = () => storage.received() > share * SIZE
    await until(`${share} of the file is sent`, isFar, 120_000)
    memory = Math.max(memory, await readMemory(pid, 'VmHWM'))
    child.kill('SIGKILL')
    await assert.rejects(ended)
  }
  const { pid, ended } = await start()
  const watch = setInterval(async () => {
    memory = Math.max(memory, await readMemory(pid, 'VmHWM').catch(() => 0))
  }, 50)
  t.after(() => clearInterval(watch))
  const id = await ended
  const times = storage.received() / SIZE
  t.diagnostic(`sent ${times.toFixed(3)} times the file, using ${Math.round(memory / 1e6)} MB`)
  assert.ok(times <= 1.2, `${times} times the file was sent`)
  assert.ok(memory < MEMORY_LIMIT, `${memory} bytes of memory`)
  assert.deepEqual(
    (await listAll(baseUrl)).map((asset) => asset.id),
    [id],
  )
  assert.equal(
    await sha256OfAsset(t, `${baseUrl}${API}/assets/${id}/download`),
    await sha256OfFile(path),
  )
})

async function sha256OfAsset(t: TestContext, url: string): Promise<string> {
  const { body, status } = await fetch(url, { signal: t.signal })
  assert.equal(status, 200)
  const hash = createHash('sha256')
  for await (const chunk of body ?? []) hash.update(chunk)
  return hash.digest('hex')
}
