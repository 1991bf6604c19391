import assert from 'node:assert/strict'
import type { ListedUpload } from '@stowage/protocol'
import type { Finding } from '@stowage/server/src/domain/finding'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { until } from '@stowage/testing/machine/until'
import { callerWith, finishUpload, sendUpload } from '@stowage/testing/service/accounts'
import { stowage } from '@stowage/testing/service/stowage-command'
import { API, someBytes } from '@stowage/testing/service/upload'
import type { HostileRun } from './run-hostile.ts'
import { EMPTIED_ASSETS, type Target } from './target.ts'

/**
 * The maximum peak memory of the process. A run needs 320 to 410 MB, depending on when garbage is collected. If the
 * service kept the bodies of `holdBodies`, it would need 500 MB more.
 */
const MEMORY_LIMIT = 500_000_000
const CONCURRENCY = 8

interface ServiceState {
  /** The peak memory of the process, in bytes. */
  memory: number
  assets: number
}

/**
 * Checks that the service still works after the run: the account has exactly the assets that the responses
 * confirmed, no bytes are reserved once all uploads are cancelled, and `stowage doctor` finds no problem.
 */
export async function checkService(target: Target, { log }: HostileRun): Promise<ServiceState> {
  const { service, key } = target
  target.checkAlive()
  const call = callerWith(service.baseUrl, key)
  const health = await call('GET', '/healthz')
  assert.deepEqual([health.status, health.body], [200, { status: 'ok' }])
  const { id } = await finishUpload(
    call,
    await sendUpload(call, { name: 'after.bin', bytes: someBytes(30) }),
  )

  const expected = new Set([...log.ready].filter((one) => !log.deleted.has(one))).add(id)
  const assets = await listAssets(call)
  // Concurrent calls deleted and restored these assets, so either call may have been the last one.
  const uncertain = log.deleted.intersection(log.restored)
  assert.deepEqual(
    new Set(assets.map((asset) => asset.id)).difference(uncertain),
    expected,
    'the list has the confirmed assets',
  )

  await endUploads(call)
  const { data } = (await call('GET', `${API}/account`)).body
  const stored = assets.reduce((sum, { bytes, is_file }) => (is_file ? sum + bytes : sum), 0)
  assert.deepEqual([data.stored, data.reserved, data.assets], [stored, 0, assets.length])

  await checkEmptied(target, log)
  await checkByDoctor(target)
  const memory = process.platform === 'linux' ? await readMemory(service.pid, 'VmHWM') : 0
  assert.ok(memory < MEMORY_LIMIT, `${Math.round(memory / 1e6)} MB of memory is too much`)
  assert.equal(await service.stop('SIGTERM'), 0)
  assert.equal(service.failures(), '', 'no failure is logged')
  return { memory, assets: assets.length }
}

/**
 * If a call that deletes all assets of its account was accepted, checks that this account is empty. Then repeats the call
 * while other calls complete, store and restore assets: those that do so after its response stay.
 */
async function checkEmptied(
  { service, emptiedKey, operations }: Target,
  log: HostileRun['log'],
): Promise<void> {
  const { name = '' } = operations.find(({ path }) => path.endsWith('/deleted-all')) ?? {}
  if (!log.operations.get(name)?.accepted) return
  const call = callerWith(service.baseUrl, emptiedKey)
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 0)
  const trash = await call('GET', `${API}/assets?trashed=true`)
  assert.equal(trash.body.meta.total, EMPTIED_ASSETS)

  const link = { filename: 'l', url: 'https://example.com' }
  const uploads = await Promise.all(
    [1, 2, 3].map((size) => sendUpload(call, { name: `${size}`, bytes: someBytes(size) })),
  )
  await call('POST', `${API}/assets/store`, link)
  const deleteAll = async () => {
    assert.equal((await call('POST', `${API}/assets/deleted-all`)).status, 202)
  }
  const store = async () => (await call('POST', `${API}/assets/store`, link)).body.data.id
  await Promise.all([deleteAll(), store(), deleteAll(), store(), deleteAll()])
  const restored = trash.body.data[0].id
  const [stored, completed] = await Promise.all([
    store(),
    Promise.all(uploads.map((upload) => finishUpload(call, upload))),
    call('POST', `${API}/assets/${restored}/restore`),
  ])
  const listed = (await listAssets(call)).map(({ id }) => id)
  const kept = [stored, restored, ...completed.map(({ id }) => id)]
  assert.deepEqual(new Set(kept).difference(new Set(listed)), new Set(), 'later assets stay')
}

/** Ends all unfinished uploads, also those whose response was lost because an earlier request closed the connection. */
async function endUploads(call: ReturnType<typeof callerWith>): Promise<void> {
  const unfinished: ListedUpload[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await call('GET', `${API}/uploads?limit=1000${after}`)
    unfinished.push(...body.data)
    const { next_after } = body.meta
    after = next_after === null ? null : `&after=${encodeURIComponent(next_after)}`
  }
  await forEach(unfinished, async ({ id, upload_id, is_replacement }) => {
    const { status, text } = is_replacement
      ? await call('POST', `${API}/assets/${id}/cancel`, { upload_id })
      : await call('DELETE', `${API}/assets/${id}`)
    assert.equal(status, is_replacement ? 200 : 202, text)
  })
}

/** Runs while the service is running, because its jobs still remove deleted objects. */
async function checkByDoctor({ service }: Target): Promise<void> {
  const settings = service.deployment.settings as Record<string, string>
  let wrong: Finding[] = []
  try {
    await until('stowage doctor finds no problem', async () => {
      const { stdout } = await stowage(settings, 'doctor', '--json')
      wrong = (JSON.parse(stdout) as Finding[]).filter(
        // The test's bucket has no CORS rules.
        ({ check, status }) => status === 'error' && check !== 'bucket rules',
      )
      return wrong.length === 0
    })
  } catch (error) {
    throw new Error(`stowage doctor found ${JSON.stringify(wrong)}`, { cause: error })
  }
}

interface ListedAsset {
  id: string
  bytes: number
  is_file: boolean
}

async function listAssets(call: ReturnType<typeof callerWith>): Promise<ListedAsset[]> {
  const assets: ListedAsset[] = []
  let after = ''
  for (;;) {
    const { body } = await call('GET', `${API}/assets?limit=1000${after}`)
    assets.push(...body.data)
    if (body.meta.next_after === null) return assets
    after = `&after=${encodeURIComponent(body.meta.next_after)}`
  }
}

async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  async function next(): Promise<void> {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, next))
}
