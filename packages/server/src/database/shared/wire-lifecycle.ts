import type { AccountSummary } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
import { PLAN_OPERATOR } from './events.ts'
import type { Statements } from './statements.ts'
import { record, run, type SharedWork } from './steps.ts'
import type { Engine, Writer } from './wire-account-data.ts'

type LifecycleMethods = Pick<
  Database,
  | 'findAccountState'
  | 'suspendAccount'
  | 'resumeAccount'
  | 'renameAccount'
  | 'deleteAccount'
  | 'importAccountState'
  | 'claimAccountRemoval'
  | 'releaseAccountRemoval'
  | 'removeAccountRows'
  | 'removeAccount'
>

/** The same in both engines. */
export function wireLifecycle<Unit>(engine: Engine<Unit>): LifecycleMethods {
  const { statements } = engine
  const work = lifecycleWork(statements)
  const read = engine.runner({ kind: 'read', party: 'accounts' })
  const write = engine.runner({ kind: 'write', party: 'accounts' })
  // Removing must also work while the disk is full.
  const free = engine.runner({ kind: 'free', party: 'accounts' })
  const transact = <Result>(account: string, steps: () => SharedWork<Result>): Promise<Result> => {
    const writer: Writer = { account, actor: PLAN_OPERATOR }
    return write((unit) => engine.transact(unit, writer, steps()))
  }
  const transactFree = <Result>(account: string, steps: () => SharedWork<Result>) => {
    const writer: Writer = { account, actor: PLAN_OPERATOR }
    return free((unit) => engine.transact(unit, writer, steps()))
  }
  return {
    findAccountState: (account) =>
      read((unit) => engine.execute(unit, statements.lifecycle.findAccountState, { account })),
    suspendAccount: (account) => transact(account, () => work.suspend(account)),
    resumeAccount: (account) => transact(account, () => work.resume(account)),
    renameAccount: (account, name) => transact(account, () => work.rename(account, name)),
    deleteAccount: (account, { afterMs }) => transact(account, () => work.delete(account, afterMs)),
    claimAccountRemoval: () => free((unit) => engine.execute(unit, statements.removal.claim, {})),
    releaseAccountRemoval: (account) =>
      free((unit) => engine.execute(unit, statements.removal.release, { account })),
    removeAccountRows: (account, limit) =>
      transactFree(account, () => work.removeRows(account, limit)),
    removeAccount: (account) => transactFree(account, () => work.remove(account)),
    importAccountState: ({ id: account, suspendedAt, deleteAt, removalStartedAt }) =>
      write((unit) =>
        engine.execute(unit, statements.lifecycle.importState, {
          account,
          suspended_at: suspendedAt,
          delete_at: deleteAt,
          started_at: removalStartedAt,
        }),
      ),
  }
}

function lifecycleWork({ lifecycle, removal, readSummary }: Statements) {
  function* recordState(type: 'account.suspended' | 'account.resumed', account: string) {
    const summary: AccountSummary | undefined = yield* run(readSummary, { account })
    if (summary !== undefined) yield* record(type, summary)
  }

  function* suspendLocked({ id: account, suspendedAt }: Account): SharedWork<void> {
    if (suspendedAt !== null) return
    yield* run(lifecycle.suspend, { account })
    yield* recordState('account.suspended', account)
  }

  return {
    *suspend(account: string): SharedWork<void> {
      const locked = yield* run(lifecycle.lockAccount, { account })
      if (locked !== undefined) yield* suspendLocked(locked)
    },

    *resume(account: string): SharedWork<'resumed' | 'removal_started'> {
      yield* run(lifecycle.lockUploads, { account })
      const locked = yield* run(lifecycle.lockAccount, { account })
      if (locked?.removalStartedAt) return 'removal_started'
      if (!locked?.suspendedAt) return 'resumed'
      yield* run(lifecycle.extendUploads, { account })
      yield* run(lifecycle.resume, { account })
      yield* recordState('account.resumed', account)
      return 'resumed'
    },

    /** Removes rows of the first table that has any, so that a batch is one short transaction. */
    *removeRows(account: string, limit: number): SharedWork<number> {
      // Also locks the account.
      if ((yield* run(removal.extendClaim, { account })) === undefined) return 0
      const dropped = yield* run(removal.dropSuperseded, { account })
      if (dropped > 0) yield* run(removal.uncountSuperseded, { account })
      for (const forget of removal.forget) {
        const removed = yield* run(forget, { account, limit })
        if (removed > 0) return removed
      }
      return 0
    },

    *remove(account: string): SharedWork<boolean> {
      if ((yield* run(removal.extendClaim, { account })) === undefined) return false
      if ((yield* run(removal.hasAssets, { account })) !== undefined) return false
      yield* run(removal.forgetLastEvents, { account })
      return (yield* run(removal.remove, { account })) ?? false
    },

    *rename(account: string, name: string): SharedWork<boolean> {
      return (yield* run(lifecycle.rename, { account, name })) ?? false
    },

    *delete(account: string, after: number): SharedWork<Date | undefined> {
      const locked = yield* run(lifecycle.lockAccount, { account })
      if (locked === undefined || locked.removalStartedAt !== null)
        return locked?.deleteAt ?? undefined
      yield* suspendLocked(locked)
      yield* run(lifecycle.setDeletion, { account, after })
      const deleted = yield* run(lifecycle.lockAccount, { account })
      return deleted?.deleteAt ?? undefined
    },
  }
}
