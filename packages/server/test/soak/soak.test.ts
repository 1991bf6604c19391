import { test } from 'node:test'
import { soak } from './soak.ts'

const { SOAK_MINUTES = '0.2', SOAK_SEED = String(Date.now() % 2 ** 31) } = process.env
const durationMs = Number(SOAK_MINUTES) * 60_000

test(`after ${SOAK_MINUTES} minutes of load with kills, restarts, clock changes and a slow store every byte is there (SOAK_SEED=${SOAK_SEED})`, {
  timeout: durationMs + 10 * 60_000,
}, async (t) => {
  t.diagnostic(await soak(t, { durationMs, seed: Number(SOAK_SEED) }))
})
