import { type TestContext, test } from 'node:test'
import type { Engines } from '@stowage/server/src/compose'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { seedOf } from '@stowage/testing/machine/random'
import { aKeyedService } from '@stowage/testing/service/accounts'
import fc from 'fast-check'
import { commandOf, saveResult } from '../reliability/result.ts'
import { type Batch, batches, CHUNK_SIZE, listBatches } from './commands.ts'
import { KEEP_VERSIONS } from './model.ts'
import { receiveWebhooks, runBatches } from './run-batches.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Run more sequences, or repeat a run:
 *
 *     MODEL_RUNS=1000 npx node --test packages/proofs/src/model/model.test.ts
 *     MODEL_SEED=123 npx node --test packages/proofs/src/model/model.test.ts
 */
const { MODEL_RUNS = isOnS3 ? '10' : '30' } = process.env
const MODEL_SEED = seedOf('MODEL_SEED')

test('the responses to random calls by parallel clients follow the rules', async (t) => {
  const all = await check(t, batches, Number(MODEL_RUNS))
  await saveResult(isOnS3 ? 'model-postgres-s3' : 'model-sqlite-disk', {
    command: commandOf(import.meta.filename, { MODEL_RUNS, MODEL_SEED }),
    rows: {
      Sequences: String(all.sequences),
      Calls: all.calls.toLocaleString('en'),
      'Non-linearizable responses, lost or orphaned data': '0',
    },
  })
})

test('lists with random filters match a scan of the model', async (t) => {
  // The lists do not depend on the storage.
  await check(t, listBatches, Math.ceil(Number(MODEL_RUNS) / (isOnS3 ? 5 : 2)))
})

/**
 * The service's own jobs expire no uploads, which they would renew first, and verify no files: the model runs these
 * jobs, and knows when.
 */
function withoutModelJobs({ database }: Engines): Pick<Engines, 'database'> {
  return {
    database: {
      ...database,
      listOverdueUploads: async () => [],
      claimVerifications: async () => [],
      claimWithheld: async () => undefined,
    },
  }
}

async function check(t: TestContext, sequencesOf: fc.Arbitrary<Batch[]>, runs: number) {
  t.diagnostic(`MODEL_SEED=${MODEL_SEED} repeats the random choices`)
  const settings = {
    STOWAGE_CHUNK_SIZE: String(CHUNK_SIZE),
    STOWAGE_CHECKSUMS: 'on',
    STOWAGE_KEEP_VERSIONS: String(KEEP_VERSIONS),
  }
  const service = await aKeyedService(t, settings, { wrap: withoutModelJobs })
  const jobs = { ...service.context, ...service.engines }
  const received = receiveWebhooks(service)
  let sequences = 0
  let calls = 0
  let running = Promise.resolve()
  const property = fc.asyncProperty(sequencesOf, async (sequence) => {
    sequences += 1
    calls += sequence.flat().length
    running = runBatches(service, jobs, { batches: sequence, received })
    await running
  })
  await fc.assert(property, {
    seed: MODEL_SEED,
    numRuns: runs,
    // Each shrunk case is run for real: without a limit a failure would take minutes to report.
    interruptAfterTimeLimit: 20_000 + runs * 2_000,
  })
  // The last sequence is still running if the time limit has interrupted it.
  await running
  t.diagnostic(`${sequences} sequences, ${calls} calls`)
  return { sequences, calls }
}
