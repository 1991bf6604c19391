import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset, AssetPage } from '@stowage/protocol'
import { runJobs } from '../../src/jobs/run-jobs.ts'
import { aServiceProcess } from '../support/process.ts'
import { aRandom, type Random } from '../support/random.ts'
import { aFolder, aService, callJson, type TestService } from '../support/service.ts'
import { API, download } from '../support/upload.ts'
import {
  anEmptyDiary,
  type Diary,
  keepUploading,
  type SentFile,
} from '../support/uploading-client.ts'

const ROUNDS = 20
const CLIENTS = 8
const CHUNK = 100_000
/** Short enough that what was abandoned in the first rounds expires during the last ones. */
const SETTINGS = { STOWAGE_CHUNK_SIZE: String(CHUNK), STOWAGE_SIGNED_FOR: '5s' }

test('after twenty kills under eight clients nothing answered is lost and nothing is left over', async (t) => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 32)
  try {
    await killAgainAndAgain(t, seed)
  } catch (error) {
    t.diagnostic(`CRASH_SEED=${seed} repeats the random choices`)
    throw error
  }
})

async function killAgainAndAgain(t: TestContext, seed: number): Promise<void> {
  const random = aRandom(seed)
  const folder = await aFolder(t)
  const diary = anEmptyDiary()
  let left: (SentFile | undefined)[] = []
  let interruptedRounds = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    left = await runUntilKilled(t, { folder, random, diary, left })
    if (left.some((file) => file !== undefined)) interruptedRounds += 1
  }
  t.diagnostic(describe(diary, interruptedRounds))
  assert.ok(diary.completed.size >= 2 * ROUNDS, `${diary.completed.size} completions were answered`)
  assert.ok(diary.cancelled.size >= 5, `${diary.cancelled.size} cancellations were answered`)
  assert.ok(diary.abandoned.size >= 5, `${diary.abandoned.size} uploads were abandoned`)
  assert.ok(interruptedRounds >= ROUNDS / 2, `${interruptedRounds} rounds were interrupted`)
  assert.ok(diary.interrupted.parts > 0 && diary.interrupted.complete > 0)

  const service = await aService(t, { ...SETTINGS, STOWAGE_DATA: folder })
  await settle(service)
  const assets = await listAll(service.baseUrl)
  await checkAnswers(service, diary, assets)
  await checkContents(service, diary, assets)
  await checkBooks(service, assets)
  await service.close()
  await checkFolders(folder, assets)
}

async function runUntilKilled(
  t: TestContext,
  options: { folder: string; random: Random; diary: Diary; left: (SentFile | undefined)[] },
): Promise<(SentFile | undefined)[]> {
  const { folder, random, diary, left } = options
  const service = await aServiceProcess(t, {
    ...SETTINGS,
    STOWAGE_DATA: folder,
    STOWAGE_LOG: 'warn',
  })
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    keepUploading(
      {
        baseUrl: service.baseUrl,
        chunkSize: CHUNK,
        random: aRandom(random.between(0, 2 ** 32)),
        diary,
        isOver: () => isOver,
      },
      left[index],
    ),
  )
  const ended = Promise.allSettled(clients)
  // Not a wait for anything: this is how long they upload.
  await pause(random.between(50, 400))
  isOver = true
  await service.stop('SIGKILL')
  await ended
  assert.equal(service.output().stderr, '')
  return Promise.all(clients)
}

/** Lets the jobs run, at a time when every upload that nobody finishes has expired. */
async function settle({ context, folder }: TestService): Promise<void> {
  const later = { ...context, clock: () => new Date(Date.now() + 60_000) }
  // A completion that is found wanting goes back to uploading, and expires in the next run.
  for (let run = 0; run < 3; run += 1) await runJobs(later, { stuckMs: 0 })
  const database = new DatabaseSync(join(folder, 'stowage.db'), { readOnly: true })
  const statuses = database.prepare('select distinct status from assets order by status').all()
  const removals = database.prepare('select count(*) as count from removals').get()
  database.close()
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['cancelled', 'expired', 'ready'],
  )
  assert.equal(removals?.count, 0)
}

async function listAll(baseUrl: string): Promise<Asset[]> {
  const assets: Asset[] = []
  let next: string | null = `${baseUrl}${API}/assets?limit=200`
  while (next !== null) {
    const page: AssetPage = (await callJson(next, { method: 'GET' })).body
    assets.push(...page.data)
    next = page.links.next
  }
  return assets
}

async function checkAnswers(service: TestService, diary: Diary, assets: Asset[]): Promise<void> {
  const listed = new Set(assets.map(({ id }) => id))
  assert.equal(listed.size, assets.length)
  const lost = [...diary.completed].filter((id) => !listed.has(id))
  assert.deepEqual(lost, [], 'these were answered as complete')
  for (const id of diary.completed) {
    const { status, body } = await service.call('GET', `${API}/assets/${id}`)
    assert.deepEqual([status, body.data?.status], [200, 'ready'], id)
  }
  for (const id of diary.cancelled) {
    const { status } = await service.call('GET', `${API}/assets/${id}`)
    assert.equal(status, 404, `${id} was answered as cancelled`)
  }
}

async function checkContents(service: TestService, diary: Diary, assets: Asset[]): Promise<void> {
  for (const asset of assets) {
    const bytes = await download(service.baseUrl, asset.id)
    assert.equal(bytes.length, asset.bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(sha256, diary.files.get(asset.id)?.sha256, asset.id)
  }
}

async function checkBooks({ context }: TestService, assets: Asset[]): Promise<void> {
  const [books, ...others] = await context.database.readBooks()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.deepEqual(books?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(books?.counted, books?.actual)
}

/** After the service closed, so that nothing is being removed just now. */
async function checkFolders(folder: string, assets: Asset[]): Promise<void> {
  const storage = join(folder, 'storage')
  assert.deepEqual(await readdir(join(storage, 'uploads')), [])
  assert.deepEqual(await readdir(join(storage, 'trash')), [])
  const files = await readdir(join(storage, 'objects'), { recursive: true })
  const expected = assets.flatMap(({ id, bytes }) => {
    const count = Math.max(1, Math.ceil(bytes / CHUNK))
    const parts = Array.from({ length: count }, (_, index) => String(index + 1).padStart(5, '0'))
    return parts.map((part) => join(id.slice(-2), id, part))
  })
  const folders = expected.flatMap((path) => [join(path, '..'), join(path, '..', '..')])
  assert.deepEqual(files.toSorted(), [...new Set([...expected, ...folders])].toSorted())
}

function describe(diary: Diary, interruptedRounds: number): string {
  const { completed, cancelled, abandoned, interrupted } = diary
  const steps = Object.entries(interrupted).map(([step, count]) => `${step} ${count}`)
  return `answered: ${completed.size} completions, ${cancelled.size} cancellations; abandoned: ${abandoned.size}; interrupted: ${interruptedRounds} rounds (${steps.join(', ')})`
}
