import { EngineUnavailable } from '../../errors.ts'
import type { RunInGroup } from './group-commit.ts'
import { retryWhileBusy, toOutage } from './outages.ts'
import type { SpareFile } from './spare-file.ts'

/** Runs the port's methods. An outage rejects with `EngineUnavailable`. */
export interface UnitsOfWork {
  /** Runs without waiting for a commit. */
  read<Result>(work: () => Result): Promise<Awaited<Result>>
  /** Shares a commit with the writes that arrive at the same time. */
  write<Result>(work: () => Result): Promise<Result>
  /**
   * For writes that must also work on a full disk, such as deletions. If the disk is full, the write runs
   * again with the space of the spare file, if there is one.
   */
  free<Result>(work: () => Result): Promise<Result>
  /** For work that manages its own transaction. */
  ownTransaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** For the work of an account: writes that have to wait are served account by account. */
  of(account: string): Omit<UnitsOfWork, 'of'>
}

export function createUnitsOfWork(inGroup: RunInGroup, spareFile: SpareFile): UnitsOfWork {
  return { ...unitsOf(inGroup, spareFile), of: (account) => unitsOf(inGroup, spareFile, account) }
}

function unitsOf(
  inGroup: RunInGroup,
  spareFile: SpareFile,
  account?: string,
): Omit<UnitsOfWork, 'of'> {
  const write: UnitsOfWork['write'] = (work) => withOutages(() => inGroup(work, account))

  return {
    read: (work) => withOutages(() => retryWhileBusy(work)),
    write,
    async free(work) {
      try {
        return await write(work)
      } catch (error) {
        const isFull = error instanceof EngineUnavailable && error.isFull
        if (!isFull || !spareFile.release()) throw error
        return write(work)
      }
    },
    ownTransaction: withOutages,
  }
}

async function withOutages<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toOutage(error)
  }
}
