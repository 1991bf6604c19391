import type { TestContext } from 'node:test'
import { aRandom, seedOf } from '@stowage/testing/machine/random'

/**
 * Returns a function that returns true for about this share of its calls. `SAMPLE_SEED` chooses others.
 */
export function aSample(t: TestContext, share: number): () => boolean {
  return sampleOf(share, share < 1 ? sampleSeed(t) : 0)
}

/** The seed of this run, for a process that the test starts. */
export function sampleSeed(t: TestContext): number {
  const seed = seedOf('SAMPLE_SEED')
  t.diagnostic(`SAMPLE_SEED=${seed} repeats the choice`)
  return seed
}

/** The same choice for the same seed. */
export function sampleOf(share: number, seed: number): () => boolean {
  if (share >= 1) return () => true
  const random = aRandom(seed)
  return () => random.between(0, 1000) < share * 1000
}
