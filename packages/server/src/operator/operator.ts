import type * as wire from '@stowage/protocol'
import type { KeyScope } from '../domain/key.ts'
import { availableBytes } from '../domain/usage.ts'
import {
  addAccount,
  changePlan,
  deleteAccount,
  getAccount,
  listAccounts,
  readSummary,
  renameAccount,
  resumeAccount,
  suspendAccount,
} from '../operations/account.ts'
import type { Context } from '../operations/context.ts'
import { createKey, listKeys, revokeKey } from '../operations/keys.ts'
import { presentKey } from '../wire/resources.ts'

/** An account as the CLI shows it, with sizes in bytes. */
export interface AccountReport {
  /** As in the log. */
  id: string
  name: string
  plan: string
  storage: number
  /** How many assets and unfinished uploads the plan allows; null: any number. */
  max_assets: number | null
  stored: number
  reserved: number
  available: number
  assets: number
  created_at: string
  state: 'active' | 'suspended' | 'deleted'
  suspended_at: string | null
  /** When the removal of its data begins. */
  removed_after: string | null
}

export type KeyReport = wire.Key

/** The operations of the CLI that work directly on the database, whether or not the service is running. */
export interface Operator {
  listAccounts(): Promise<AccountReport[]>
  addAccount(account: {
    name: string
    plan: string
    storage: number
    assets: number | null
  }): Promise<AccountReport>
  setPlan(
    name: string,
    plan: { plan?: string; storage?: number; assets?: number | null },
  ): Promise<AccountReport>
  suspendAccount(name: string): Promise<AccountReport>
  resumeAccount(name: string): Promise<AccountReport>
  renameAccount(name: string, newName: string): Promise<AccountReport>
  deleteAccount(name: string, options: { afterMs: number }): Promise<AccountReport>
  listKeys(account: string): Promise<KeyReport[]>
  addKey(
    account: string,
    key: { name: string; scope: KeyScope; expiresAt?: Date | null },
  ): Promise<KeyReport & { secret: string }>
  /** Revokes the last manage key as well: an operator can create another. */
  revokeKey(account: string, id: string): Promise<void>
  close(): Promise<void>
}

/** A valid ID that no key has. */
const UNUSED_ID = '00000000-0000-0000-0000-000000000000'

type OperatorContext = Pick<Context, 'database' | 'newId' | 'clock' | 'randomBytes'>

/** Calls `ensureDefaultAccount` before changes only: lists change nothing. */
export function createOperator(
  context: OperatorContext,
  ensureDefaultAccount: () => Promise<unknown>,
): Operator {
  const { database } = context

  async function report(name: string): Promise<AccountReport> {
    const account = await getAccount(context, name)
    const { suspendedAt, deleteAt } = account
    const summary = await readSummary({ data: database.of(account.id) })
    return {
      id: account.id,
      name,
      plan: summary.planName,
      storage: summary.limit,
      max_assets: summary.planAssets,
      stored: summary.stored,
      reserved: summary.reserved,
      available: availableBytes(summary),
      assets: summary.assets,
      created_at: account.createdAt.toISOString(),
      state: deleteAt !== null ? 'deleted' : suspendedAt !== null ? 'suspended' : 'active',
      suspended_at: suspendedAt?.toISOString() ?? null,
      removed_after: deleteAt?.toISOString() ?? null,
    }
  }

  async function accountContext(name: string) {
    const { id } = await getAccount(context, name)
    return { ...context, data: database.of(id) }
  }

  return {
    async listAccounts() {
      const accounts = await listAccounts(context)
      return Promise.all(accounts.map(({ name }) => report(name)))
    },

    async addAccount({ name, plan, storage, assets }) {
      await ensureDefaultAccount()
      await addAccount(context, { name, planName: plan, planStorage: storage, planAssets: assets })
      return report(name)
    },

    async setPlan(name, { plan, ...limits }) {
      await ensureDefaultAccount()
      await changePlan(context, name, { name: plan, ...limits })
      return report(name)
    },

    async suspendAccount(name) {
      await suspendAccount(context, name)
      return report(name)
    },

    async resumeAccount(name) {
      await resumeAccount(context, name)
      return report(name)
    },

    async renameAccount(name, newName) {
      await renameAccount(context, name, newName)
      return report(newName)
    },

    async deleteAccount(name, options) {
      await deleteAccount(context, name, options)
      return report(name)
    },

    async listKeys(account) {
      return (await listKeys(await accountContext(account))).map(presentKey)
    },

    async addKey(account, details) {
      await ensureDefaultAccount()
      const { key, secret } = await createKey(await accountContext(account), details)
      return { ...presentKey(key), secret }
    },

    async revokeKey(account, id) {
      const own = await accountContext(account)
      const key = (await listKeys(own)).find((known) => known.id === id.toLowerCase())
      await revokeKey(own, key?.id ?? UNUSED_ID, { keepLast: false })
    },

    close: () => database.close(),
  }
}
