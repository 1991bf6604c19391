import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import {
  API,
  cancel,
  complete,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'

/*
 * Run more rounds, or repeat a run:
 *
 *     TRASH_ROUNDS=1000 npx node --test packages/proofs/src/model/full-plan.test.ts
 *     TRASH_SEED=123 npx node --test packages/proofs/src/model/full-plan.test.ts
 */
const ROUNDS = Number(process.env.TRASH_ROUNDS ?? 10)
const SEED = seedOf('TRASH_SEED')
const PLAN = 100

interface Account {
  stored: number
  reserved: number
  trash: number
  available: number
}

/** Reads the account, and checks that its stored, reserved and trashed bytes together do not exceed the plan. */
async function readAccount({ call }: TestService): Promise<Account> {
  const { stored, reserved, trash, available }: Account = (await call('GET', `${API}/account`)).body
    .data
  assert.ok(stored + reserved + trash <= PLAN, `${stored} + ${reserved} + ${trash} > ${PLAN}`)
  assert.equal(available, PLAN - stored - reserved)
  return { stored, reserved, trash, available }
}

/** The trash, the oldest first. */
async function readTrash({ call }: TestService): Promise<Asset[]> {
  return (await call('GET', `${API}/assets?trashed=true&limit=1000`)).body.data.reverse()
}

function shuffled<Item>(random: Random, items: Item[]): Item[] {
  const keyed = items.map((item) => ({ item, order: random.between(0, 1_000_000) }))
  return keyed.sort((a, b) => a.order - b.order).map(({ item }) => item)
}

/** Stores files until the plan is full, and deletes all or most of them, one by one or together. */
async function fillWithTrash(service: TestService, random: Random): Promise<void> {
  const { baseUrl, call } = service
  for (;;) {
    const { available, trash } = await readAccount(service)
    if (available - trash <= 0) break
    const size = Math.min(available - trash, random.between(5, 41))
    await uploadFile(baseUrl, { bytes: someBytes(size, random.between(1, 1000)) })
  }
  const ready: Asset[] = (await call('GET', `${API}/assets`)).body.data
  const ids = shuffled(
    random,
    ready.map(({ id }) => id),
  )
  const kept = ids.length > 2 && random.between(0, 10) < 5 ? ids.splice(0, 1) : []
  if (kept.length === 0 && random.between(0, 10) < 2)
    await call('POST', `${API}/assets/deleted-all`)
  else if (ids.length > 0 && random.between(0, 10) < 3) {
    await call('POST', `${API}/assets/bulk`, { action: 'delete', ids })
  } else for (const id of ids) await call('DELETE', `${API}/assets/${id}`)
}

/**
 * Requests an upload, and completes or cancels it. The request must remove exactly as much of the oldest trash as the
 * file needs. Returns whether it removed any.
 */
async function uploadOne(service: TestService, random: Random): Promise<boolean> {
  const { baseUrl } = service
  const before = await readAccount(service)
  const trash = await readTrash(service)
  assert.equal(
    trash.reduce((sum, { bytes }) => sum + bytes, 0),
    before.trash,
  )
  const size = random.between(1, before.available + 1)
  const bytes = someBytes(size, 7)
  const session = await requestSession(baseUrl, { bytes })
  let excess = before.stored + before.reserved + before.trash + size - PLAN
  const remaining = trash.filter(({ bytes: freed }) => {
    const isKept = excess <= 0
    excess -= isKept ? 0 : freed
    return isKept
  })
  assert.deepEqual(
    (await readTrash(service)).map(({ id }) => id),
    remaining.map(({ id }) => id),
  )
  await readAccount(service)
  if (random.between(0, 10) < 3) await cancel(baseUrl, session)
  else assert.equal((await complete(baseUrl, session, await putParts(session, bytes))).status, 200)
  await readAccount(service)
  return remaining.length < trash.length
}

/** Uploads, restores and deletions at the same time. */
async function uploadMany(service: TestService, random: Random): Promise<void> {
  const { call } = service
  const { available } = await readAccount(service)
  const trash = shuffled(random, await readTrash(service)).slice(0, 2)
  const size = Math.floor(available / 2)
  const sign = () => call('POST', `${API}/assets/signed`, { name: 'a', size })
  const responses = await Promise.all([
    ...[1, 2, 3].map(sign),
    ...trash.map(({ id }) => call('POST', `${API}/assets/${id}/restore`)),
    ...trash.slice(0, 1).map(({ id }) => call('DELETE', `${API}/assets/${id}?permanent=true`)),
    readAccount(service),
    readAccount(service),
  ])
  await readAccount(service)
  for (const response of responses) {
    if (!('status' in response)) continue
    assert.ok([200, 201, 202, 402, 404].includes(response.status), JSON.stringify(response.body))
    const { id, upload_id } = response.body
    if (response.status === 201) await call('POST', `${API}/assets/${id}/cancel`, { upload_id })
  }
}

test('uploads into a plan that is full of trash succeed, and the plan is never exceeded', async (t) => {
  const settings = { STOWAGE_PLAN_STORAGE: String(PLAN), STOWAGE_CHUNK_SIZE: '60' }
  const service = await aService(t, settings)
  t.diagnostic(`TRASH_SEED=${SEED} repeats the random choices`)
  const random = aRandom(SEED)
  let removals = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await fillWithTrash(service, random)
    if (await uploadOne(service, random)) removals += 1
    if (random.between(0, 10) < 3) await uploadMany(service, random)
    if (random.between(0, 10) < 5) await service.call('POST', `${API}/assets/deleted-all`)
  }
  assert.ok(removals > 0)
  t.diagnostic(`${ROUNDS} rounds; ${removals} uploads removed trash`)
  await assertUsageConsistent(service)
  await saveResult(`full-plan-${ENGINES}`, {
    command: commandOf(import.meta.filename, { TRASH_ROUNDS: ROUNDS, TRASH_SEED: SEED }),
    rows: {
      Rounds: ROUNDS.toLocaleString('en'),
      'Uploads that removed trash': removals.toLocaleString('en'),
      'Rounds in which the bytes exceeded the plan, too much or newer trash was removed, or usage was wrong':
        '0',
    },
  })
})
