import { test } from 'node:test'
import { areEmbedded } from '../support/engines.ts'
import { aRandom } from '../support/random.ts'
import { checkAftermath } from './aftermath.ts'
import { closeHalf, sendSlowly, sitIdle } from './crowd.ts'
import { emptyPool } from './pool.ts'
import { runHostile } from './run-hostile.ts'
import { startTarget } from './target.ts'

/*
 * More of it, or the same choices again:
 *
 *     HOSTILE_REQUESTS=1000000 npx node --test packages/server/test/hostile/hostile.test.ts
 *     HOSTILE_SEED=123 npx node --test packages/server/test/hostile/hostile.test.ts
 */
const {
  HOSTILE_REQUESTS = areEmbedded ? '20000' : '3000',
  HOSTILE_SEED = String(Date.now() % 2 ** 31),
} = process.env

test(`hostile requests are refused with a code, and harm nothing (HOSTILE_SEED=${HOSTILE_SEED})`, async (t) => {
  const target = await startTarget(t)
  const seed = Number(HOSTILE_SEED)
  const run = await runHostile(target, { seed, count: Number(HOSTILE_REQUESTS) })
  t.diagnostic(`${run.sent} requests, answered ${JSON.stringify(run.ledger.statuses)}`)
  t.diagnostic(`error codes: ${[...run.ledger.codes].sort().join(', ')}`)
  const maker = {
    random: aRandom(seed),
    pool: emptyPool(),
    ...target,
    partsUnderWay: new Set<string>(),
  }
  t.diagnostic(`${await sitIdle(target, maker)} idle connections`)
  await sendSlowly(target)
  await closeHalf(target)
  const { memory, assets } = await checkAftermath(target, run)
  t.diagnostic(`${assets} assets at the end; ${Math.round(memory / 1e6)} MB of memory at most`)
})
