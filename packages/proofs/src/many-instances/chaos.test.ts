import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Finding } from '@stowage/server/src/domain/finding'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import type { ServiceProcess } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import {
  assertLoggedErrors,
  checkFinalState,
  checkOutcomeEvents,
  readEventsUntilOver,
} from './checks.ts'
import { type Attempt, noOutcomes, type Outcomes, uploadUntilOver } from './clients.ts'
import { type SharedDeployment, type SharedEngines, withSharedEngines } from './shared-engines.ts'

const INSTANCES = 4
const CLIENTS = 8
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 4)
/** The test runs until these are reached, which takes longer on a slow machine. */
const MINIMUM = { kills: 6, completions: 60, cancellations: 6 }
/** Instances are killed during one of these steps. */
const STEPS = ['request', 'resume', 'complete', 'cancel', 'delete'] as const
/** Short enough that uploads abandoned early expire before the end of a long run, on any instance. */
const SETTINGS = { STOWAGE_SIGNED_FOR: '15s', STOWAGE_UPLOADS_KEPT_FOR: '15s' }

await withSharedEngines('chaos', (engines) => {
  test(`after ${SECONDS} seconds of kills among four instances, every confirmed change is kept and nothing else remains`, {
    timeout: (SECONDS + 240) * 1000,
  }, async (t) => {
    const seed = seedOf('CRASH_SEED')
    t.diagnostic(`CRASH_SEED=${seed} repeats the random choices`)
    await killInstances(t, engines, aRandom(seed))
  })
})

async function killInstances(t: TestContext, engines: SharedEngines, random: Random) {
  const deployment = await engines.deploy(t)
  const running = await Promise.all(
    Array.from({ length: INSTANCES }, () => deployment.start(SETTINGS)),
  )
  const ended: ServiceProcess[] = []
  const attempts: Attempt[] = []
  const outcomes = noOutcomes()
  const end = performance.now() + SECONDS * 1000
  let hasFailed = false
  const isOver = () =>
    hasFailed ||
    (performance.now() > end &&
      ended.length >= MINIMUM.kills &&
      outcomes.completed.size >= MINIMUM.completions &&
      outcomes.cancelled.size >= MINIMUM.cancellations &&
      STEPS.every((step) => cutOff(attempts, step) > 0))
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    uploadUntilOver({
      name: `client${index}`,
      baseUrls: () => baseUrlsOf(running),
      random: aRandom(random.between(0, 2 ** 32)),
      attempts,
      outcomes,
      isOver,
    }),
  )
  const killer = killUntil(isOver, { deployment, random, running, ended, attempts })
  const changes = Promise.all([...clients, killer])
  let areClientsDone = false
  const reader = readEventsUntilOver({
    baseUrls: () => baseUrlsOf(running),
    random: aRandom(random.between(0, 2 ** 32)),
    attempts,
    isOver: () => areClientsDone || hasFailed,
  })
  changes
    .finally(() => {
      areClientsDone = true
    })
    .catch(() => {})
  const [events] = await Promise.all([reader, changes]).catch((error) => {
    hasFailed = true
    throw error
  })
  checkOutcomeEvents(events, outcomes)
  for (const instance of running) assert.equal(await instance.stop('SIGTERM'), 0)

  t.diagnostic(describe({ outcomes, attempts, kills: ended.length }))
  const refused = attempts.filter(({ status }) => status === 503)
  assert.deepEqual(refused, [])
  for (const instance of [...running, ...ended]) assertLoggedErrors(instance)

  await checkFinalState(t, deployment, outcomes)
  // The only thing to fix is that the bucket has no CORS rules yet.
  const { code, stdout } = await stowage(
    deployment.settings,
    'doctor',
    '--fix',
    '--verify',
    '--json',
  )
  const found: Finding[] = JSON.parse(stdout)
  const wrong = found.filter(({ check, status }) => status === 'error' || check === 'uploads')
  assert.deepEqual([code, wrong.map(({ status }) => status)], [0, ['ok']], stdout)
}

interface Killing {
  deployment: SharedDeployment
  random: Random
  running: ServiceProcess[]
  ended: ServiceProcess[]
  attempts: Attempt[]
}

/** Repeatedly kills an instance that is executing a step, and starts another one instead. */
async function killUntil(isOver: () => boolean, killing: Killing): Promise<void> {
  const { deployment, random, running, ended, attempts } = killing
  while (!isOver()) {
    const step = random.pick(STEPS)
    let victim = -1
    await until(`a ${step} is in progress`, () => {
      const current = attempts.findLast((call) => call.step === step && !call.endedAt)
      victim = running.findIndex(({ baseUrl }) => baseUrl === current?.baseUrl)
      return victim >= 0 || isOver()
    })
    const [killed] = running.slice(victim, victim + 1)
    if (killed === undefined) return
    await killed.stop('SIGKILL')
    ended.push(killed)
    running[victim] = await deployment.start(SETTINGS)
    // A random time during which all four instances run; it waits for no particular event.
    await pause(random.between(0, 600))
  }
}

function baseUrlsOf(running: ServiceProcess[]): [string, ...string[]] {
  const [first = '', ...others] = running.map(({ baseUrl }) => baseUrl)
  return [first, ...others]
}

/** The number of requests whose connection broke after it was established. */
function cutOff(attempts: Attempt[], step: Attempt['step']): number {
  const isCut = ({ failure = 'ECONNREFUSED' }: Attempt) => !failure.includes('ECONNREFUSED')
  return attempts.filter((call) => call.step === step && isCut(call)).length
}

function describe(report: { outcomes: Outcomes; attempts: Attempt[]; kills: number }): string {
  const { outcomes, attempts, kills } = report
  const steps = STEPS.map((step) => `${step} ${cutOff(attempts, step)}`)
  const { completed, deleted, cancelled, abandoned } = outcomes
  return `${kills} kills; confirmed: ${completed.size} completions, ${cancelled.size} cancellations, ${deleted.size} deletions; abandoned: ${abandoned.size}; cut off: ${steps.join(', ')}`
}
