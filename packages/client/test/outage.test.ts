import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isStowageError } from '@stowage/client/node'
import { freePort } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const CHUNK = 20_000
const PARTS = 150
const BYTES = someBytes(PARTS * CHUNK)

test('an upload survives an outage of the service', async (t) => {
  const settings = {
    STOWAGE_LOG: 'warn',
    STOWAGE_CHUNK_SIZE: String(CHUNK),
    STOWAGE_PORT: String(await freePort()),
    STOWAGE_STORAGE_PORT: String(await freePort()),
  }
  const before = await aServiceProcess(t, settings)
  // On a busy machine, the service takes long to start again.
  const retry = { giveUpAfterMs: 120_000 }
  const { client, folder } = await aClient(t, { baseUrl: before.baseUrl, parallel: 1, retry })
  const path = join(folder, 'film.mov')
  await writeFile(path, BYTES)
  const failures: unknown[] = []
  const sent: number[] = []
  const upload = client.upload(path, {
    onProgress({ problem, parts }) {
      sent.push(parts.done)
      if (isStowageError(problem, 'network') && !failures.includes(problem)) failures.push(problem)
    },
  })
  await until('some parts are stored', () => upload.progress.parts.done > 3)
  await before.stop('SIGKILL')
  // A single call gives up after five attempts, but an upload retries for longer.
  await until('the upload has retried many times', () => failures.length > 10)
  assert.ok(upload.progress.parts.done < PARTS)

  const { baseUrl } = await aServiceProcess(t, settings, before.deployment)
  const { id } = await upload
  assert.deepEqual(
    sent,
    sent.toSorted((a, b) => a - b),
  )
  assert.ok((await download(baseUrl, id)).equals(BYTES))
  assert.equal((await client.assets().page()).meta.total, 1)
  assert.equal((await client.account()).reserved, 0)
})
