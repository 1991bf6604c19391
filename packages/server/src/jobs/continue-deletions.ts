import { jobActor } from '../domain/event.ts'
import type { Context } from '../operations/context.ts'

/** Used only for deletions that an older version of the service began: the actor of other deletions is stored. */
const ACTOR = jobActor('continue_deletions')

/**
 * Continues the deletion of all assets of an account, if the call was interrupted, or if there are more assets than
 * one call deletes.
 */
export async function continueDeletions({ database }: Context, signal: AbortSignal): Promise<void> {
  for (const account of await database.listTrashAll()) {
    const data = database.of(account, ACTOR)
    while (!signal.aborted && (await data.continueTrashAll()) > 0);
  }
}
