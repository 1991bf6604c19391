import type { AssetStatus } from '../../domain/asset.ts'
import type { Transition } from '../account-data.ts'

/**
 * A change of status by compare-and-set. Where it was not made, the status says why; if that is
 * `from`, the asset became so between the two statements, and the change is tried again.
 */
export async function transition(step: {
  from: AssetStatus
  to: AssetStatus
  change(): Promise<boolean>
  readStatus(): Promise<AssetStatus | undefined>
}): Promise<Transition> {
  for (;;) {
    if (await step.change()) return { won: true, status: step.to }
    const status = await step.readStatus()
    if (status !== step.from) return { won: false, status }
  }
}
