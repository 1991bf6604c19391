import type { Key, KeyScope } from './domain/key.ts'
import { availableBytes } from './domain/plan.ts'
import { addAccount, getAccount } from './operations/accounts/add-account.ts'
import type { Context } from './operations/context.ts'
import { createKey } from './operations/keys/create-key.ts'
import { revokeKey } from './operations/keys/revoke-key.ts'

/** What an operator sees of an account; sizes in bytes. */
export interface AccountReport {
  name: string
  plan: string
  storage: number
  stored: number
  reserved: number
  available: number
  assets: number
  created_at: string
}

export interface KeyReport {
  id: string
  name: string
  scope: KeyScope
  hint: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

/** What the command line does on the engine that the settings name, while the service runs or not. */
export interface Operator {
  listAccounts(): Promise<AccountReport[]>
  addAccount(account: { name: string; plan: string; storage: number }): Promise<AccountReport>
  setPlan(name: string, plan: { plan?: string; storage?: number }): Promise<AccountReport>
  listKeys(account: string): Promise<KeyReport[]>
  addKey(
    account: string,
    key: { name: string; scope: KeyScope },
  ): Promise<KeyReport & { secret: string }>
  /** Also the last manage key: whoever can run this can make another. */
  revokeKey(account: string, id: string): Promise<void>
  close(): Promise<void>
}

/** The id of nothing. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

export type OperatorContext = Pick<Context, 'database' | 'newId' | 'clock' | 'randomBytes'>

export function createOperator(context: OperatorContext): Operator {
  const { database } = context

  async function report(name: string): Promise<AccountReport> {
    const account = await getAccount(context, name)
    const summary = await database.of(account.id).readSummary()
    return {
      name,
      plan: summary.planName,
      storage: summary.limit,
      stored: summary.stored,
      reserved: summary.reserved,
      available: availableBytes(summary),
      assets: summary.assets,
      created_at: account.createdAt.toISOString(),
    }
  }

  async function accountContext(name: string) {
    const { id } = await getAccount(context, name)
    return { ...context, data: database.of(id) }
  }

  return {
    async listAccounts() {
      const accounts = await database.listAccounts()
      return Promise.all(accounts.map(({ name }) => report(name)))
    },

    async addAccount({ name, plan, storage }) {
      await addAccount(context, { name, planName: plan, planStorage: storage })
      return report(name)
    },

    async setPlan(name, change) {
      const account = await getAccount(context, name)
      await database.changePlan(account.id, {
        name: change.plan ?? account.planName,
        storage: change.storage ?? account.planStorage,
      })
      return report(name)
    },

    async listKeys(account) {
      const { data } = await accountContext(account)
      return (await data.listKeys()).map(reportKey)
    },

    async addKey(account, details) {
      const { key, secret } = await createKey(await accountContext(account), details)
      return { ...reportKey(key), secret }
    },

    async revokeKey(account, id) {
      const own = await accountContext(account)
      const key = (await own.data.listKeys()).find((known) => known.id === id.toLowerCase())
      await revokeKey(own, key?.id ?? NO_ID, { keepLast: false })
    },

    close: () => database.close(),
  }
}

function reportKey(key: Key): KeyReport {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    hint: key.hint,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
