import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import { takeOverJobs, untilAllPastExpiry } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type Deployment } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { listAll } from '@stowage/testing/service/upload'
import {
  anEmptyUploadLog,
  checkContents,
  checkResponses,
  checkUsage,
  type SentFile,
  settleAll,
  startClients,
  type UploadLog,
} from '../soak/uploading-client.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? (isOnS3 ? 4 : 6))
const CLIENTS = 8
/** The minimum number of cancelled uploads, and of abandoned ones. */
const MIN_OUTCOMES = 5
/** S3 refuses smaller parts, except for the last one. */
const CHUNK = isOnS3 ? 5 * 2 ** 20 : 100_000
/** Short enough that uploads abandoned in the first rounds expire during the last ones. */
const SETTINGS = {
  STOWAGE_CHUNK_SIZE: String(CHUNK),
  STOWAGE_SIGNED_FOR: '5s',
  STOWAGE_UPLOADS_KEPT_FOR: '5s',
}

test(`after ${ROUNDS} kills with eight clients, every confirmed change is kept and no other data remains`, async (t) => {
  const seed = seedOf('CRASH_SEED')
  t.diagnostic(`CRASH_SEED=${seed} repeats the random choices`)
  await killRepeatedly(t, seed)
})

async function killRepeatedly(t: TestContext, seed: number): Promise<void> {
  const random = aRandom(seed)
  const deployment = await aDeployment(t)
  const uploadLog = anEmptyUploadLog()
  let interruptedFiles: (SentFile | undefined)[] = []
  let interruptedRounds = 0
  // On a slow machine, little happens in a round, so more rounds follow until each outcome occurred often enough.
  for (
    let round = 0;
    round < ROUNDS || (!hasSeenEnough(uploadLog) && round < 10 * ROUNDS);
    round += 1
  ) {
    interruptedFiles = await runUntilKilled(t, { deployment, random, uploadLog, interruptedFiles })
    if (interruptedFiles.some((file) => file !== undefined)) interruptedRounds += 1
  }
  t.diagnostic(describe(uploadLog, interruptedRounds))
  assert.ok(
    uploadLog.completed.size >= 2 * ROUNDS,
    `${uploadLog.completed.size} completions were confirmed`,
  )
  assert.ok(
    uploadLog.cancelled.size >= MIN_OUTCOMES,
    `${uploadLog.cancelled.size} cancellations were confirmed`,
  )
  assert.ok(
    uploadLog.abandoned.size >= MIN_OUTCOMES,
    `${uploadLog.abandoned.size} uploads were abandoned`,
  )
  assert.ok(interruptedRounds >= ROUNDS / 2, `${interruptedRounds} rounds were interrupted`)
  assert.ok(uploadLog.interrupted.complete > 0)
  // Parts go directly to S3, so killing the service interrupts none.
  assert.equal(uploadLog.interrupted.parts > 0, !isOnS3)

  const service = await aService(t, SETTINGS, deployment)
  const context = await takeOverJobs(service)
  await untilAllPastExpiry(context)
  await settleAll(context, uploadLog)
  const assets = await listAll(service.baseUrl)
  await checkResponses(service, uploadLog, assets)
  await checkContents(service, uploadLog, assets)
  await checkUsage(service, assets)
  // After closing, no job is removing objects.
  await service.close()
  await deployment.backdoor.assertHoldsOnly(assets, CHUNK)
}

function hasSeenEnough({ cancelled, abandoned, completed }: UploadLog): boolean {
  return (
    cancelled.size >= MIN_OUTCOMES && abandoned.size >= MIN_OUTCOMES && completed.size >= 2 * ROUNDS
  )
}

async function runUntilKilled(
  t: TestContext,
  options: {
    deployment: Deployment
    random: Random
    uploadLog: UploadLog
    interruptedFiles: (SentFile | undefined)[]
  },
): Promise<(SentFile | undefined)[]> {
  const { deployment, random, uploadLog, interruptedFiles } = options
  const service = await aServiceProcess(t, { ...SETTINGS, STOWAGE_LOG: 'warn' }, deployment)
  const { baseUrl } = service
  const clients = startClients({
    count: CLIENTS,
    baseUrl,
    pickSize,
    random,
    uploadLog,
    interruptedFiles,
  })
  const enough = uploadLog.completed.size + random.between(0, 8)
  await until('uploads are completed', () => uploadLog.completed.size >= enough)
  // A random time until the kill, deliberately not synchronized with any event.
  await pause(random.between(0, 100))
  const interrupted = await clients.stop(() => service.stop('SIGKILL'))
  assert.equal(service.failures(), '')
  return interrupted
}

/** Small sizes with few parts, so that repeated uploads are fast. */
function pickSize({ pick, between }: Random): number {
  if (isOnS3)
    return pick([0, 1, between(1, 1000), between(1, 100_000), between(CHUNK, CHUNK + 1000)])
  return pick([0, 1, CHUNK, between(1, CHUNK), between(1, 5 * CHUNK), 5 * CHUNK])
}

function describe(uploadLog: UploadLog, interruptedRounds: number): string {
  const { completed, cancelled, abandoned, interrupted } = uploadLog
  const steps = Object.entries(interrupted).map(([step, count]) => `${step} ${count}`)
  return `confirmed: ${completed.size} completions, ${cancelled.size} cancellations; abandoned: ${abandoned.size}; interrupted: ${interruptedRounds} rounds (${steps.join(', ')})`
}
