import type { AccountData } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import type { Storage } from '../storage/storage.ts'

/** Everything that an operation may touch. Time, ids and randomness are handed in. */
export interface Context {
  database: Database
  storage: Storage
  clock: () => Date
  newId: () => string
  randomBytes: (length: number) => Uint8Array
  settings: Settings
  health: Health
  /** For what went wrong without failing the call. */
  warn: (message: string, error: unknown) => void
}

/** What this instance has noticed about itself. */
export interface Health {
  /** How its clock is off; undefined while it is near enough to the database's. */
  clock: string | undefined
}

export interface Settings {
  chunkSize: number
  /** How long URLs of parts are valid. */
  signedForMs: number
  /** How long an unfinished upload is kept after its last activity. */
  uploadsKeptForMs: number
  auth: AuthSettings
  /** Requests a minute and key; undefined is without limit. */
  rateLimit: number | undefined
}

export type AuthSettings =
  /** Whoever reaches the service is the manager of this account. */
  | { kind: 'open'; accountId: string }
  /** `admin` is a manage key handed in from outside, by its SHA-256. */
  | { kind: 'keys'; admin: { accountId: string; hash: string } | undefined }

/** What an operation on behalf of an account gets: of the database, only what is the account's. */
export interface AccountContext extends Omit<Context, 'database'> {
  accountId: string
  data: AccountData
}

export function forAccount(context: Context, accountId: string): AccountContext {
  const { database, ...rest } = context
  return { ...rest, accountId, data: database.of(accountId) }
}
