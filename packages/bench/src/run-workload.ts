import { judge, measure } from './measure.ts'
import { progress } from './progress.ts'
import type { Result } from './report/result.ts'
import { closeOnSignal, openContext, type Workload } from './workload.ts'

/** CLI options, which override those of the workload. */
export interface Limits {
  rounds: number | undefined
  seconds: number | undefined
}

const ROUNDS = 3
const SECONDS = 1

/** Runs one workload and cleans up, even after a signal. */
export async function runWorkload(
  name: string,
  workload: Workload,
  limits: Limits,
): Promise<Result> {
  const { title, metrics, targets } = workload
  const rounds = limits.rounds ?? workload.rounds ?? ROUNDS
  const context = openContext(limits.seconds ?? workload.seconds ?? SECONDS)
  const ignoreSignals = closeOnSignal(context)
  try {
    progress(`${name}: starting`)
    const contenders = await workload.open(context)
    const measurements = await measure(contenders, {
      rounds,
      onTurn: (round, contender) => progress(`${name}: round ${round} of ${rounds}, ${contender}`),
    })
    return { name, title, metrics, measurements, verdicts: judge(measurements, targets) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : `${error}`
    const measurements = [{ name: 'all programs', metrics: {}, failure: reason }]
    return { name, title, metrics, measurements, verdicts: judge([], targets) }
  } finally {
    await context.close()
    ignoreSignals()
    progress('')
  }
}
