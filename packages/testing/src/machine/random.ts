/** Random numbers that are the same for the same seed. */
export interface Random {
  /** An integer from `low` to `high` (exclusive). */
  between(low: number, high: number): number
  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice
}

/** mulberry32: small, and good enough to vary tests. */
export function aRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low))
  return {
    between,
    pick: (choices) => choices[between(0, choices.length)] ?? choices[0],
  }
}

/**
 * The seed of this run: the environment variable of this name, so that a run can be repeated; a random number with
 * `SEEDS=random`, so that many runs find more; otherwise 1, so that a change is the only difference between two runs.
 */
export function seedOf(variable: string): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return process.env.SEEDS === 'random' ? Date.now() % 2 ** 31 : 1
}
