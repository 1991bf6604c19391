import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset, BulkJob, Product } from '@stowage/protocol'
import { areEmbedded, ENGINES } from '@stowage/testing/engines/test-engines'
import { freePort } from '@stowage/testing/machine/ports'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import { aDeployment, aService, callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { attach, putProducts, storeManyLinks } from '@stowage/testing/service/shop'
import { API, listAll } from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Change more assets, or repeat a run:
 *
 *     BULK_ASSETS=20000 TEST_TIMEOUT_MS=3600000 npx node --test packages/proofs/src/kills/bulk-jobs.test.ts
 *     BULK_SEED=123 npx node --test packages/proofs/src/kills/bulk-jobs.test.ts
 */
const { TEST_TIMEOUT_MS } = process.env
const ASSETS = Number(process.env.BULK_ASSETS ?? 900)
const OTHERS = 20
/** About as long as a few batches take. */
const LONGEST_PAUSE_MS = 60

/** Each change with its events, and what all assets have afterward. */
const CHANGES = [
  {
    body: { action: 'tag', tags: ['autumn'] },
    events: ['asset.updated', 'asset.updated'],
    isDone: ({ tags }: Asset) => tags.join() === 'autumn,own',
  },
  {
    body: { action: 'move', path: 'new/folder' },
    events: ['asset.updated', 'asset.updated'],
    isDone: ({ path }: Asset) => path === 'new/folder',
  },
  {
    body: { action: 'attach', product_ids: [1] },
    events: ['asset.attached', 'asset.detached'],
    isDone: (asset: Asset) => productsOf(asset).some((product) => product.product_id === 1),
  },
  {
    body: { action: 'delete' },
    events: ['asset.deleted', 'asset.restored'],
    isDone: (asset: Asset) => 'deleted_at' in asset,
  },
] as const

test('a change of all matches, and its undoing, continue after the process is killed: each asset changes once, and no other asset', async (t) => {
  const seed = seedOf('BULK_SEED')
  t.diagnostic(`BULK_SEED=${seed} repeats the random choices`)
  const random = aRandom(seed)
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const preparing = await aService(t, {}, deployment)
  await putProducts(
    preparing,
    [1, 2].map((id) => ({ product_id: id, variant_id: id })),
  )
  await storeManyLinks(preparing, OTHERS, { filename: 'other.zip', path: 'old' })
  await storeManyLinks(preparing, ASSETS, { filename: 'changed.zip', path: 'old' })
  const tagged = { action: 'tag', tags: ['own'], filter: {}, expected: ASSETS + OTHERS }
  await preparing.call('POST', `${API}/bulk`, tagged)
  // Undoing an attachment leaves those that were there before.
  const [first] = (await preparing.call('GET', `${API}/assets?filename=changed&limit=1`)).body.data
  await attach(preparing, first.id, { product_ids: [2] })
  await until('the assets are tagged', async () => {
    const { meta } = (await preparing.call('GET', `${API}/assets?tag=own&exact_total=true`)).body
    return meta.total === ASSETS + OTHERS
  })
  await preparing.close()

  const settings = { STOWAGE_LOG: 'warn' }
  const port = String(await freePort())
  const start = () => aServiceProcess(t, { ...settings, STOWAGE_PORT: port }, deployment)
  // On PostgreSQL, another instance continues. SQLite has only one, which is started again.
  const other = areEmbedded ? undefined : await aServiceProcess(t, settings, deployment)
  let service = await start()
  const call = (method: string, path: string, body?: unknown) =>
    callJson(`${(other ?? service).baseUrl}${API}${path}`, { method, body })

  async function readAssets(): Promise<Map<string, Asset>> {
    const { baseUrl } = other ?? service
    const ready = await listAll(baseUrl, '&with_products=true')
    const trashed = await listAll(baseUrl, '&trashed=true')
    assert.equal(ready.length + trashed.length, ASSETS + OTHERS)
    return new Map([...ready, ...trashed].map((asset) => [asset.id, asset]))
  }

  async function countEvents(after: number): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (let last = after; ; ) {
      const { data, meta } = (await call('GET', `/events?after=${last}&limit=1000`)).body
      for (const event of data) {
        const key = `${event.type} ${event.data.id}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      last = meta.next_after
      if (!meta.has_more) return counts
    }
  }

  const readJobs = async (): Promise<BulkJob[]> => (await call('GET', '/bulk')).body.data

  /** Kills the instance of the call in the middle of the change. Returns the ended change. */
  async function killDuring(path: string, body: unknown): Promise<BulkJob> {
    // A kill before the change is stored proves nothing, so the next one comes later.
    for (let longest = LONGEST_PAUSE_MS; ; longest *= 2) {
      const known = new Set((await readJobs()).map(({ id }) => id))
      const url = `${service.baseUrl}${API}${path}`
      const response = callJson(url, { method: 'POST', body }).catch(() => undefined)
      await pause(random.between(0, longest))
      assert.equal(service.failures(), '')
      await service.stop('SIGKILL')
      const isAnswered = (await response)?.status === 202
      service = await start()
      const begun = (await readJobs()).find(({ id }) => !known.has(id))
      if (begun === undefined) {
        assert.ok(!isAnswered, 'a confirmed change was lost')
        continue
      }
      if (!isAnswered) interrupted += 1
      const { id } = begun
      await until('the change has ended', async () => {
        return (await call('GET', `/bulk/${id}`)).body.data.status !== 'running'
      })
      return (await call('GET', `/bulk/${id}`)).body.data
    }
  }

  let interrupted = 0
  let lastJob = ''
  for (const { body, events, isDone } of CHANGES) {
    const before = await readAssets()
    const isChanged = ({ filename }: Asset) => filename === 'changed.zip'
    const ids = [...before.values()].filter(isChanged).map(({ id }) => id)
    for (const [step, type] of events.entries()) {
      const isUndoing = step === 1
      const { data } = (await call('GET', '/events?order=desc&limit=1')).body
      const request = { ...body, filter: { filename: 'changed' }, expected: ASSETS }
      const path = isUndoing ? `/bulk/${lastJob}/undo` : '/bulk'
      const job = await killDuring(path, isUndoing ? undefined : request)
      lastJob = job.id
      assert.deepEqual(
        [job.status, job.total, job.done, job.changed],
        ['finished', ASSETS, ASSETS, ASSETS],
        JSON.stringify(job),
      )
      const counts = await countEvents(data[0].id)
      assert.deepEqual(counts, new Map(ids.map((id) => [`${type} ${id}`, 1])), body.action)
      const after = await readAssets()
      for (const [id, asset] of after) {
        const previous = before.get(id)
        assert.ok(previous)
        if (isUndoing || !isChanged(asset)) {
          assert.deepEqual(comparable(asset), comparable(previous), body.action)
        } else assert.ok(isDone(asset), JSON.stringify(asset))
      }
    }
  }
  t.diagnostic(`${interrupted} of ${CHANGES.length * 2} calls were interrupted`)
  await service.stop('SIGTERM')
  await other?.stop('SIGTERM')
  const { context } = await aService(t, {}, deployment)
  for (const { counted, actual, wrongBlocks, wrongTags } of await context.database.compareUsage()) {
    assert.deepEqual([counted, wrongBlocks, wrongTags], [actual, 0, 0])
  }
  await saveResult(`bulk-kills-${ENGINES}`, {
    command: commandOf(import.meta.filename, {
      BULK_ASSETS: process.env.BULK_ASSETS,
      TEST_TIMEOUT_MS,
    }),
    rows: {
      'Changed assets': String(ASSETS),
      'Changes, each killed and continued': String(CHANGES.length * 2),
      'Assets that changed twice, or were not to change': '0',
    },
  })
})

function productsOf(asset: Asset): Product[] {
  return (asset as Asset & { products?: Product[] }).products ?? []
}

/** What must be the same after undoing. The order of products is that of their attachment. */
function comparable({ updated_at: _, ...asset }: Asset) {
  const products = productsOf(asset as Asset).map(({ id }) => id)
  return { ...asset, products: products.sort() }
}
