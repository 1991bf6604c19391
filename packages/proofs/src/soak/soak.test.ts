import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@stowage/server/src/config/config'
import type { Finding } from '@stowage/server/src/domain/finding'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { moveAllExpiriesToPast, takeOverJobs } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type Deployment } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import { listAll } from '@stowage/testing/service/upload'
import { type S3Proxy, startS3Proxy } from '../faults/s3-proxy.ts'
import { saveResult } from '../reliability/result.ts'
import {
  anEmptyUploadLog,
  checkContents,
  checkResponses,
  checkUsage,
  type SentFile,
  settleAll,
  startClients,
  type UploadLog,
} from './uploading-client.ts'

const CLIENTS = 6
/** With more files than this, clients download and delete files, so that the storage does not fill up. */
const MAX_KEPT = isOnS3 ? 200 : 1_000
const CHUNK = isOnS3 ? 5 * 2 ** 20 : 100_000
/** The durations are longer than any change of the clock, so that no upload expires while a client sends it. */
const SETTINGS = {
  STOWAGE_CHUNK_SIZE: String(CHUNK),
  STOWAGE_SIGNED_FOR: '4h',
  STOWAGE_UPLOADS_KEPT_FOR: '4h',
}
/** S3 rejects signatures of a clock that is off by more than 15 minutes. Download URLs are valid for an hour. */
const MAX_SHIFT_MS = isOnS3 ? 60_000 : 25 * 60_000
const MAX_DELAY_MS = 200
const MAX_STARTS = 5
const SHIFT_CLOCK = new URL('shift-clock.ts', import.meta.url).href

/** Uploads for this long, with kills, restarts, clock changes and, on S3, slow storage, then checks all data. */
async function soak(
  t: TestContext,
  { durationMs, seed }: { durationMs: number; seed: number },
): Promise<Record<string, string>> {
  const random = aRandom(seed)
  const deployment = await aDeployment(t, { isReliable: true })
  const slowStorage = await aSlowStorage(t, deployment, random)
  const uploadLog = anEmptyUploadLog()
  const ends: Record<string, number> = { SIGKILL: 0, SIGTERM: 0 }
  let interruptedFiles: (SentFile | undefined)[] = []
  let shifts = 0
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    const remainingMs = end - performance.now()
    const lastsMs = Math.min(remainingMs, random.between(500, 5_000))
    const signal = random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM'] as const)
    const round = await runOnce(t, {
      deployment,
      slowStorage,
      random,
      uploadLog,
      interruptedFiles,
      lastsMs,
      signal,
    })
    interruptedFiles = round.interruptedFiles
    shifts += round.shifts
    ends[signal] = (ends[signal] ?? 0) + 1
  }
  slowStorage?.injectFaults(() => undefined)
  await check(t, deployment, uploadLog)
  const { completed, cancelled, abandoned, deleted } = uploadLog
  return {
    'Uploads completed': String(completed.size),
    'Files downloaded and deleted': String(deleted.size),
    'Uploads cancelled': String(cancelled.size),
    'Uploads abandoned': String(abandoned.size),
    Kills: String(ends.SIGKILL),
    Restarts: String(ends.SIGTERM),
    'Clock changes': String(shifts),
    'Lost or changed files, orphaned data, problems found by stowage doctor': '0',
  }
}

interface Round {
  deployment: Deployment
  slowStorage: S3Proxy | undefined
  random: Random
  uploadLog: UploadLog
  interruptedFiles: (SentFile | undefined)[]
  lastsMs: number
  signal: 'SIGKILL' | 'SIGTERM'
}

async function runOnce(t: TestContext, round: Round) {
  const { deployment, slowStorage, random, uploadLog, lastsMs, signal } = round
  const clockFile = join(deployment.folder, 'clock')
  const settings = {
    ...SETTINGS,
    ...endpointOf(slowStorage),
    STOWAGE_LOG: 'error',
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import ${SHIFT_CLOCK}`,
  }
  const service = await startService(t, settings, deployment)
  const { baseUrl } = service
  const { interruptedFiles } = round
  const clients = startClients({
    count: CLIENTS,
    maxKept: MAX_KEPT,
    baseUrl,
    pickSize,
    random,
    uploadLog,
    interruptedFiles,
  })
  const end = performance.now() + lastsMs
  let shifts = 0
  while (performance.now() < end) {
    const shiftMs = random.between(-MAX_SHIFT_MS, MAX_SHIFT_MS)
    await writeFile(clockFile, String(random.pick([0, shiftMs])))
    shifts += 1
    // The time until the next change of the clock, not a wait for a condition.
    await pause(Math.min(1_000, Math.max(0, end - performance.now())))
  }
  return { interruptedFiles: await clients.stop(() => service.stop(signal)), shifts }
}

/** Retries like a supervisor: on a loaded machine, the service may fail to connect to its database in time. */
async function startService(t: TestContext, settings: Environment, deployment: Deployment) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await aServiceProcess(t, settings, deployment)
    } catch (error) {
      if (attempt === MAX_STARTS || !String(error).includes('is unavailable')) throw error
    }
  }
}

async function check(t: TestContext, deployment: Deployment, uploadLog: UploadLog): Promise<void> {
  const service = await aService(t, SETTINGS, deployment)
  const context = await takeOverJobs(service)
  await makeEverythingOverdue(deployment)
  await settleAll(context, uploadLog)
  const assets = await listAll(service.baseUrl)
  await checkResponses(service, uploadLog, assets)
  await checkContents(service, uploadLog, assets)
  await checkUsage(service, assets)
  await service.close()
  await deployment.backdoor.assertHoldsOnly(assets, CHUNK)
  const settings = { ...(deployment.settings as Record<string, string>), ...SETTINGS }
  const { stdout, stderr } = await stowage(settings, 'doctor', '--verify', '--json')
  assert.notEqual(stdout, '', stderr)
  const found: Finding[] = JSON.parse(stdout)
  const wrong = found.filter(({ check, status }) => status === 'error' && check !== 'bucket rules')
  assert.deepEqual(wrong, [])
}

/** As if four hours had passed, even for uploads whose request got no response. */
async function makeEverythingOverdue({ folder, settings }: Deployment): Promise<void> {
  if (settings.STOWAGE_DATABASE !== undefined)
    return moveAllExpiriesToPast(settings.STOWAGE_DATABASE)
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec(`update assets set expires_at = 0 where status in ('uploading', 'completing')`)
  database.close()
}

/** On S3, some responses are slow. */
async function aSlowStorage(t: TestContext, { settings }: Deployment, random: Random) {
  if (settings.STOWAGE_S3_ENDPOINT === undefined) return undefined
  const proxy = await startS3Proxy(settings.STOWAGE_S3_ENDPOINT)
  cleanUp(t, () => proxy.close())
  proxy.injectFaults(({ operation }) => {
    if (operation === 'UploadPart') return undefined
    return random.pick([
      undefined,
      undefined,
      { kind: 'slow', ms: random.between(0, MAX_DELAY_MS) },
    ])
  })
  return proxy
}

function endpointOf(slowStorage: S3Proxy | undefined): Record<string, string> {
  return slowStorage === undefined
    ? {}
    : { STOWAGE_S3_ENDPOINT: `http://127.0.0.1:${slowStorage.port}` }
}

function pickSize({ pick, between }: Random): number {
  // The tests' Ceph keeps all data in memory, so only a few files have two parts.
  if (isOnS3)
    return pick([0, 1, between(1, 100_000), pick([1_000, 10_000, CHUNK + between(0, 1000)])])
  return pick([0, 1, CHUNK, between(1, CHUNK), between(1, 5 * CHUNK), 5 * CHUNK])
}

const { SOAK_MINUTES = '0.1' } = process.env
const SOAK_SEED = seedOf('SOAK_SEED')
const durationMs = Number(SOAK_MINUTES) * 60_000

test(`after ${SOAK_MINUTES} minutes of load with kills, restarts, clock changes and, on S3, slow storage, no data is lost or orphaned`, {
  timeout: durationMs + 10 * 60_000,
}, async (t) => {
  t.diagnostic(`SOAK_SEED=${SOAK_SEED} repeats the random choices`)
  const rows = await soak(t, { durationMs, seed: SOAK_SEED })
  t.diagnostic(JSON.stringify(rows))
  await saveResult(`soak-${ENGINES}`, {
    command: `npm run soak -- --minutes ${SOAK_MINUTES} --engines ${ENGINES.replace('-', '+').replace('s3', 'ceph')} --seed ${SOAK_SEED}`,
    rows,
  })
})
