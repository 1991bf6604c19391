import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { type S3Proxy, startS3Proxy } from '@stowage/testing/proxies/s3-proxy'
import { aDeployment, type Deployment } from '@stowage/testing/service/deployment'
import { listAll } from '@stowage/testing/service/list-all'
import { aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import type { Environment } from '../../src/config/config.ts'
import type { Finding } from '../../src/domain/finding.ts'
import { moveAllExpiriesToPast } from '../support/upload-expiry.ts'
import {
  checkContents,
  checkResponses,
  checkUsage,
  settleAll,
} from '../support/upload-log-checks.ts'
import {
  anEmptyUploadLog,
  type SentFile,
  startClients,
  type UploadLog,
} from '../support/uploading-client.ts'

const CLIENTS = 6
/** With more files than this, clients begin to download and delete them, so that the storage does not fill up. */
const MOST_KEPT = isOnS3 ? 200 : 1_000
const CHUNK = isOnS3 ? 5 * 2 ** 20 : 100_000
/** Longer than any change of the clock: nothing that a client works on ends under it. */
const SETTINGS = {
  STOWAGE_CHUNK_SIZE: String(CHUNK),
  STOWAGE_SIGNED_FOR: '4h',
  STOWAGE_UPLOADS_KEPT_FOR: '4h',
}
/** S3 refuses what is signed more than 15 minutes ahead or behind; URLs of downloads are valid for an hour. */
const LARGEST_SHIFT_MS = isOnS3 ? 60_000 : 25 * 60_000
const SLOWEST_MS = 200
const MOST_STARTS = 5
const SHIFT_CLOCK = new URL('shift-clock.ts', import.meta.url).href

/** Uploads for this long, with kills, restarts, clock changes and a slow store; then checks everything. */
export async function soak(
  t: TestContext,
  { durationMs, seed }: { durationMs: number; seed: number },
): Promise<Record<string, string>> {
  const random = aRandom(seed)
  const deployment = await aDeployment(t, { isReliable: true })
  const store = await aSlowStore(t, deployment, random)
  const uploadLog = anEmptyUploadLog()
  const ends: Record<string, number> = { SIGKILL: 0, SIGTERM: 0 }
  let left: (SentFile | undefined)[] = []
  let shifts = 0
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    const remainingMs = end - performance.now()
    const lastsMs = Math.min(remainingMs, random.between(500, 5_000))
    const signal = random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM'] as const)
    const round = await runOnce(t, { deployment, store, random, uploadLog, left, lastsMs, signal })
    left = round.left
    shifts += round.shifts
    ends[signal] = (ends[signal] ?? 0) + 1
  }
  store?.injectFaults(() => undefined)
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
    'Files lost or different, things left over, findings of doctor': '0',
  }
}

interface Round {
  deployment: Deployment
  store: S3Proxy | undefined
  random: Random
  uploadLog: UploadLog
  left: (SentFile | undefined)[]
  lastsMs: number
  signal: 'SIGKILL' | 'SIGTERM'
}

async function runOnce(t: TestContext, round: Round) {
  const { deployment, store, random, uploadLog, lastsMs, signal } = round
  const clockFile = join(deployment.folder, 'clock')
  const settings = {
    ...SETTINGS,
    ...endpointOf(store),
    STOWAGE_LOG: 'error',
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import ${SHIFT_CLOCK}`,
  }
  const service = await startService(t, settings, deployment)
  const { baseUrl } = service
  const { left } = round
  const clients = startClients({
    count: CLIENTS,
    mostKept: MOST_KEPT,
    baseUrl,
    pickSize,
    random,
    uploadLog,
    left,
  })
  const end = performance.now() + lastsMs
  let shifts = 0
  while (performance.now() < end) {
    const shiftMs = random.between(-LARGEST_SHIFT_MS, LARGEST_SHIFT_MS)
    await writeFile(clockFile, String(random.pick([0, shiftMs])))
    shifts += 1
    // Not a wait for anything: this is how long the clock stays as it is.
    await pause(Math.min(1_000, Math.max(0, end - performance.now())))
  }
  return { left: await clients.stop(() => service.stop(signal)), shifts }
}

/** A supervisor would start a service again that could not reach its database: a loaded machine is slow to connect. */
async function startService(t: TestContext, settings: Environment, deployment: Deployment) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await aServiceProcess(t, settings, deployment)
    } catch (error) {
      if (attempt === MOST_STARTS || !String(error).includes('is unavailable')) throw error
    }
  }
}

async function check(t: TestContext, deployment: Deployment, uploadLog: UploadLog): Promise<void> {
  const service = await aService(t, SETTINGS, deployment)
  await makeEverythingOverdue(deployment)
  await settleAll(service, uploadLog)
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
  const wrong = found.filter(
    ({ about, verdict }) => verdict === 'wrong' && about !== 'bucket rules',
  )
  assert.deepEqual(wrong, [])
}

/** As if four hours had passed, also for uploads whose request was never answered. */
async function makeEverythingOverdue({ folder, settings }: Deployment): Promise<void> {
  if (settings.STOWAGE_DATABASE !== undefined)
    return moveAllExpiriesToPast(settings.STOWAGE_DATABASE)
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec(`update assets set expires_at = 0 where status in ('uploading', 'completing')`)
  database.close()
}

/** On S3, some answers are slow. */
async function aSlowStore(t: TestContext, { settings }: Deployment, random: Random) {
  if (settings.STOWAGE_S3_ENDPOINT === undefined) return undefined
  const proxy = await startS3Proxy(settings.STOWAGE_S3_ENDPOINT)
  cleanUp(t, () => proxy.close())
  proxy.injectFaults(({ operation }) => {
    if (operation === 'UploadPart') return undefined
    return random.pick([undefined, undefined, { kind: 'slow', ms: random.between(0, SLOWEST_MS) }])
  })
  return proxy
}

function endpointOf(store: S3Proxy | undefined): Record<string, string> {
  return store === undefined ? {} : { STOWAGE_S3_ENDPOINT: `http://127.0.0.1:${store.port}` }
}

function pickSize({ pick, between }: Random): number {
  // Ceph keeps everything in memory: few files have two parts.
  if (isOnS3)
    return pick([0, 1, between(1, 100_000), pick([1_000, 10_000, CHUNK + between(0, 1000)])])
  return pick([0, 1, CHUNK, between(1, CHUNK), between(1, 5 * CHUNK), 5 * CHUNK])
}
