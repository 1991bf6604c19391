import { progress } from '../progress.ts'
import { closeOnSignal, openContext } from '../workload.ts'
import { type Checkout, checkOut, workingTree } from './checkout.ts'
import { compare, comparisonTable, type Pair, type Row } from './compare.ts'
import { HOT_PATHS, type HotPath, type Measured } from './hot-paths.ts'

/*
 * Compares the hot paths of the working tree with those of another commit, alternately, in five minutes. The exit code
 * is 1 if one of them is slower than 0.9 of the other commit.
 *
 *     npm run bench:compare v0.2.0
 *     npm run bench:compare main -- sessions parts        only these paths
 */
const TOTAL_MS = 285_000
/** The time for the rounds of one path. If it seems slower, it gets the same time again. */
const PATH_MS = 14_000
const WARM_UP_ROUNDS = 2
const MIN_ROUNDS = 3
const MAX_ROUNDS = 15

async function run(): Promise<number> {
  const [ref, ...names] = process.argv.slice(2)
  const unknown = names.filter((name) => !HOT_PATHS.some((path) => path.name === name))
  if (ref === undefined || ref.startsWith('-') || unknown.length > 0) {
    const known = HOT_PATHS.map(({ name }) => name).join(', ')
    process.stderr.write(`Usage: npm run bench:compare REF [-- PATH…]. Paths: ${known}\n`)
    return 2
  }
  const deadline = performance.now() + TOTAL_MS
  const context = openContext(1)
  closeOnSignal(context)
  try {
    progress(`checking out ${ref}`)
    const [ours, theirs] = await Promise.all([workingTree(), checkOut(context, ref)])
    const paths = HOT_PATHS.filter(({ name }) => names.length === 0 || names.includes(name))
    const rows: Row[] = []
    for (const [index, path] of paths.entries()) {
      const share = (deadline - performance.now()) / (paths.length - index)
      rows.push(await comparePath(path, { ours, theirs, deadline: performance.now() + share }))
    }
    progress('')
    process.stdout.write(`${comparisonTable(rows, ref)}\n`)
    return rows.some(({ comparison }) => comparison === undefined || comparison.isSlower) ? 1 : 0
  } finally {
    await context.close()
  }
}

interface Options {
  ours: Checkout
  theirs: Checkout
  deadline: number
}

async function comparePath(path: HotPath, { ours, theirs, deadline }: Options): Promise<Row> {
  const context = openContext(1)
  try {
    progress(`${path.name}: starting`)
    const [measureOurs, measureTheirs] = [
      await path.open(context, ours),
      await path.open(context, theirs),
    ]
    // Node compiles the most frequent functions only after many calls.
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
      await alternate(round % 2 === 0, measureOurs, measureTheirs)
    }
    const pairs: Pair[] = []
    async function measure(): Promise<void> {
      const [end, last] = [performance.now() + PATH_MS, pairs.length + MAX_ROUNDS]
      const least = pairs.length + MIN_ROUNDS
      while (
        pairs.length < least ||
        (pairs.length < last && performance.now() < Math.min(end, deadline))
      ) {
        progress(`${path.name}: round ${pairs.length + 1}`)
        pairs.push(await alternate(pairs.length % 2 === 0, measureOurs, measureTheirs))
      }
    }
    await measure()
    // Other programs may have slowed down one of the two: measure again before it counts.
    if (compare(pairs, path.better).isSlower) await measure()
    return { path, rounds: pairs.length, comparison: compare(pairs, path.better) }
  } catch (error) {
    const failure = error instanceof Error ? error.message : `${error}`
    return { path, rounds: 0, comparison: undefined, failure }
  } finally {
    await context.close()
  }
}

/** Each of them is the first in every second round. */
async function alternate(
  isOursFirst: boolean,
  measureOurs: () => Promise<Measured>,
  measureTheirs: () => Promise<Measured>,
): Promise<Pair> {
  if (isOursFirst) {
    const ours = await measureOurs()
    return { ours, theirs: await measureTheirs() }
  }
  const theirs = await measureTheirs()
  return { ours: await measureOurs(), theirs }
}

process.exitCode = await run()
