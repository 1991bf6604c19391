import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { readObjects } from '@stowage/testing/engines/test-engines'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService, type JsonResponse, type TestService } from '@stowage/testing/service/service'
import {
  assertUsageConsistent,
  attach,
  detach,
  namesOf,
  productsOf,
  putProduct,
  putProducts,
  storeLink,
} from '@stowage/testing/service/shop'
import {
  API,
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const ROUNDS = 20

function remove({ call }: TestService, id: string): Promise<JsonResponse> {
  return call('DELETE', `${API}/assets/${id}`)
}

/** Delays the delete by a number of requests, because a call without a body would usually be first. */
async function removeAfter(
  service: TestService,
  requests: number,
  id: string,
): Promise<JsonResponse> {
  for (let count = 0; count < requests; count += 1) await service.call('GET', '/healthz')
  return remove(service, id)
}

/**
 * Returns the responses in the order of the calls. The first two rounds make the calls one after another, in their
 * order and in reverse, so that both orders occur. Later rounds make them concurrently and start with different calls.
 */
async function race(
  round: number,
  calls: (() => Promise<JsonResponse>)[],
): Promise<JsonResponse[]> {
  if (round < 2) {
    const inTurn: JsonResponse[] = []
    const order = round === 0 ? [...calls.keys()] : [...calls.keys()].reverse()
    for (const index of order) inTurn[index] = await (calls[index] as () => Promise<JsonResponse>)()
    return inTurn
  }
  const first = round % calls.length
  const order = [...calls.keys()].map((index) => (index + first) % calls.length)
  const responses: JsonResponse[] = []
  await Promise.all(
    order.map(async (index) => {
      responses[index] = await (calls[index] as () => Promise<JsonResponse>)()
    }),
  )
  return responses
}

/** Fails if one of these assets is still attached to a product, read from either side. */
async function assertNoAttachments(service: TestService, assetIds: string[]): Promise<void> {
  const [usage] = await service.context.database.compareUsage()
  const data = service.context.database.of(usage?.accountId ?? '')
  assert.equal((await data.productsOfAssets(assetIds, 100_000))?.size, 0)
  const { body } = await service.call('GET', `${API}/products?with_assets=true`)
  const attached = body.data.flatMap(({ assets }: { assets: Asset[] }) =>
    assets.map(({ id }) => id),
  )
  for (const id of assetIds) assert.ok(!attached.includes(id))
}

test('of several concurrent deletes, one returns 202 and the others return 404', async (t) => {
  const service = await aService(t, { STOWAGE_TRASH_FOR: '0' })
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } =
      round % 2 === 0
        ? await storeLink(service)
        : await uploadFile(service.baseUrl, { bytes: someBytes(5) })
    const times = 2 + (round % 3)
    const calls = Array.from({ length: times }, () => () => remove(service, id))
    const statuses = (await race(round, calls)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [202, ...Array.from({ length: times - 1 }, () => 404)])
    await assertUsageConsistent(service)
  }
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [])
})

test('deleting an asset while it is attached, detached and renamed leaves no attachment, name or stored bytes', async (t) => {
  const service = await aService(t, { STOWAGE_TRASH_FOR: '0' })
  await putProducts(
    service,
    [11, 12].map((variant_id) => ({ variant_id })),
  )
  const seen = { attach: new Set<number>(), detach: new Set<number>(), rename: new Set<number>() }
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await uploadFile(service.baseUrl, { name: 'racing', bytes: someBytes(5) })
    await attach(service, id, { variant_ids: [11] })
    ids.push(id)
    const [deleted, attached, detached, renamed] = (await race(round, [
      () => removeAfter(service, round % 5, id),
      () => attach(service, id, { product_ids: [1] }),
      () => detach(service, id, { variant_ids: [11] }),
      () => service.call('PUT', `${API}/assets/${id}`, { filename: 'renamed' }),
    ])) as [JsonResponse, JsonResponse, JsonResponse, JsonResponse]
    assert.equal(deleted.status, 202)
    seen.attach.add(attached.status)
    seen.detach.add(detached.status)
    seen.rename.add(renamed.status)
    assert.equal((await service.call('GET', `${API}/assets/${id}`)).status, 404)
    await assertNoAttachments(service, ids)
    await assertUsageConsistent(service)
  }
  // Each call ran before the delete in some rounds and after it in others.
  assert.deepEqual(seen, {
    attach: new Set([201, 404]),
    detach: new Set([200, 404]),
    rename: new Set([200, 404]),
  })
  for (const query of ['', 'filename=rac', 'filename=renamed', 'attached=true', 'product_id=1']) {
    assert.deepEqual(await namesOf(service, query), [], query)
  }
  assert.equal((await service.call('GET', `${API}/account`)).body.data.stored, 0)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [])
})

test('deleting an asset while its upload is completed or cancelled leaves a complete file or nothing', async (t) => {
  const service = await aService(t, { STOWAGE_TRASH_FOR: '0', STOWAGE_CHUNK_SIZE: '10' })
  const kept: string[] = []
  const outcomes = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = someBytes(25, round)
    const session = await requestSession(service.baseUrl, { bytes })
    const parts = await putParts(session, bytes)
    const [deleted, completed, cancelled] = (await race(round, [
      () => removeAfter(service, round % 7, session.id),
      () => complete(service.baseUrl, session, parts),
      ...(round % 5 === 0 ? [() => cancel(service.baseUrl, session)] : []),
    ])) as [JsonResponse, JsonResponse, JsonResponse | undefined]
    const isReady = (await service.call('GET', `${API}/assets/${session.id}`)).status === 200
    const facts = `${deleted.status} ${completed.status} ${cancelled?.status} ${isReady}`
    outcomes.add(`delete ${deleted.status}, completion ${completed.status}`)
    if (isReady) {
      assert.deepEqual([deleted.status, deleted.body.code], [409, 'upload_completing'], facts)
      assert.equal(completed.status, 200, facts)
      assert.deepEqual(await download(service.baseUrl, session.id), bytes)
      kept.push(session.id)
    } else {
      // Either the asset was deleted or its upload was cancelled.
      assert.ok(deleted.status === 202 || cancelled?.status === 200, facts)
      assert.ok([202, 404].includes(deleted.status), facts)
      assert.ok([200, 404].includes(completed.status), facts)
    }
    await assertUsageConsistent(service)
  }
  assert.ok(outcomes.size > 1, `only ${[...outcomes]}`)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), kept.sort())
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
})

test('deleting a product while assets are attached to it leaves no attachment', async (t) => {
  const service = await aService(t, { STOWAGE_TRASH_FOR: '0' })
  const asset = await storeLink(service, { filename: 'asset' })
  for (let round = 0; round < ROUNDS; round += 1) {
    const product = await putProduct(service, { product_id: round, variant_id: round })
    const [deleted, attached, again] = (await race(round, [
      () => service.call('DELETE', `${API}/products/${product.id}`),
      () => attach(service, asset.id, { product_ids: [round] }),
      () => service.call('DELETE', `${API}/products/${product.id}`),
    ])) as [JsonResponse, JsonResponse, JsonResponse]
    assert.deepEqual([deleted.status, again.status].toSorted(), [202, 404])
    assert.ok([201, 422].includes(attached.status), JSON.stringify(attached.body))
    assert.deepEqual(await productsOf(service, asset.id), [])
    assert.deepEqual(await namesOf(service, 'attached=true'), [])
    assert.deepEqual(await namesOf(service, 'attached=false'), ['asset'])
  }
})
