import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { commandOf, saveResult } from '../reliability/result.ts'
import { checkService } from './check-service.ts'
import { emptyPool } from './generator-context.ts'
import { runHostile } from './run-hostile.ts'
import { checkGrowth, startTarget } from './target.ts'
import {
  halfCloseConnections,
  holdBodies,
  ignoreStreams,
  openIdleConnections,
  respondWithoutEnd,
  sendSlowly,
} from './unusual-connections.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Send more requests, limit the time, or repeat the random choices of a run:
 *
 *     HOSTILE_REQUESTS=1000000 npx node --test packages/proofs/src/hostile/hostile.test.ts
 *     HOSTILE_REQUESTS=1000000 HOSTILE_MINUTES=30 npx node --test packages/proofs/src/hostile/hostile.test.ts
 *     HOSTILE_SEED=123 npx node --test packages/proofs/src/hostile/hostile.test.ts
 */
const { HOSTILE_REQUESTS = areEmbedded ? '20000' : '1000', HOSTILE_MINUTES } = process.env
const HOSTILE_SEED = seedOf('HOSTILE_SEED')

const withinMs =
  HOSTILE_MINUTES === undefined ? Number.POSITIVE_INFINITY : Number(HOSTILE_MINUTES) * 60_000

/** After this many requests every operation of the OpenAPI document must have been sent. */
const REQUESTS_FOR_ALL_OPERATIONS = 20_000

test('hostile requests are refused with an error code and do no harm', async (t) => {
  const target = await startTarget(t)
  const seed = HOSTILE_SEED
  t.diagnostic(`HOSTILE_SEED=${seed} repeats the random choices`)
  const run = await runHostile(target, { seed, count: Number(HOSTILE_REQUESTS), withinMs })
  t.diagnostic(`${run.sent} requests, statuses ${JSON.stringify(run.log.statuses)}`)
  t.diagnostic(`error codes: ${[...run.log.codes].sort().join(', ')}`)
  const never = target.operations.filter(({ name }) => !run.log.operations.get(name)?.accepted)
  t.diagnostic(`never accepted: ${never.map(({ name }) => name).join(', ') || 'none'}`)
  if (run.sent >= REQUESTS_FOR_ALL_OPERATIONS) {
    // A request that is always refused would not reach the code behind it.
    const reads = never.filter(({ method }) => method === 'GET').map(({ name }) => name)
    assert.deepEqual(reads, [])
    const unsent = never.filter(({ name }) => !run.log.operations.has(name))
    assert.deepEqual(unsent, [])
  }
  const context = {
    random: aRandom(seed),
    pool: emptyPool(),
    ...target,
    partsInFlight: new Set<string>(),
  }
  const idle = await openIdleConnections(target, context)
  t.diagnostic(`${idle} idle connections`)
  await holdBodies(target)
  await sendSlowly(target)
  await halfCloseConnections(target)
  await ignoreStreams(target, context)
  await respondWithoutEnd(target, context)
  const { memory, assets } = await checkService(target, run)
  const megabytes = Math.round(memory / 1e6)
  const live = run.live.map((bytes) => `${Math.round(bytes / 1e6)} MB`)
  t.diagnostic(`${assets} assets; peak memory ${megabytes} MB; memory in use ${live.join(', ')}`)
  checkGrowth(run.live)
  const accepted = Object.entries(run.log.statuses)
    .filter(([status]) => Number(status) < 400)
    .reduce((sum, [, count]) => sum + count, 0)
  await saveResult(areEmbedded ? 'hostile-sqlite-disk' : 'hostile-postgres-s3', {
    command: commandOf(import.meta.filename, { HOSTILE_REQUESTS, HOSTILE_MINUTES, HOSTILE_SEED }),
    rows: {
      'Operations of the OpenAPI document': `${target.operations.length}`,
      Requests: run.sent.toLocaleString('en'),
      'Requests accepted': accepted.toLocaleString('en'),
      'Requests refused': (run.sent - accepted).toLocaleString('en'),
      'Distinct error codes': `${run.log.codes.size}`,
      'Concurrent idle connections': idle.toLocaleString('en'),
      'Memory in use after garbage collection, during the run': live.slice(0, -1).join(', '),
      'Memory in use after garbage collection, at the end': live.at(-1) ?? '',
      'Peak memory of the process': `${megabytes} MB`,
      Violations: '0',
    },
  })
})
