import { test } from 'node:test'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { saveResult } from '../reliability/result.ts'
import { soak } from './soak.ts'

const { SOAK_MINUTES = '0.1', SOAK_SEED = String(Date.now() % 2 ** 31) } = process.env
const durationMs = Number(SOAK_MINUTES) * 60_000

test(`after ${SOAK_MINUTES} minutes of load with kills, restarts, clock changes and, on S3, slow storage, no data is lost or orphaned (SOAK_SEED=${SOAK_SEED})`, {
  timeout: durationMs + 10 * 60_000,
}, async (t) => {
  const rows = await soak(t, { durationMs, seed: Number(SOAK_SEED) })
  t.diagnostic(JSON.stringify(rows))
  await saveResult(`soak-${ENGINES}`, {
    command: `npm run soak -- --minutes ${SOAK_MINUTES} --engines ${ENGINES.replace('-', '+').replace('s3', 'ceph')} --seed ${SOAK_SEED}`,
    rows,
  })
})
