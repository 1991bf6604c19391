import type { TestContext } from 'node:test'
import { aRandom } from '@stowage/testing/machine/random'

/**
 * Returns a function that chooses about this share of its calls, at random: each run of the tests chooses
 * others. `SAMPLE_SEED` repeats the choice of a run.
 */
export function aSample(t: TestContext, share: number): () => boolean {
  if (share >= 1) return () => true
  const seed = Number(process.env.SAMPLE_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`SAMPLE_SEED=${seed} repeats the choice`)
  const random = aRandom(seed)
  return () => random.between(0, 1000) < share * 1000
}
