import { type BackupRecord, KEPT_BACKUPS } from '../database/backup-data.ts'
import type { ServiceState } from '../database/database.ts'
import type { AccountUsage, RecentFailures, SeenInstance } from '../database/operator-data.ts'
import type { Context } from './context.ts'

export interface ServiceStatus {
  now: Date
  instances: SeenInstance[]
  state: ServiceState
  failures: RecentFailures
  accounts: AccountUsage[]
  /** The newest first: the last ones, and the last complete one, however old it is. */
  backups: BackupRecord[]
  /** Undefined if the files are stored in S3. */
  freeBytes: number | undefined
  /** When the disk will be full, if an instance has seen it fill. */
  fullAt: Date | null
}

const MAX_ACCOUNTS = 100
const MAX_BACKUPS = 10

/** What an operator sees of the whole service. */
export async function readStatus({
  database,
  storage,
}: Pick<Context, 'database' | 'storage'>): Promise<ServiceStatus> {
  const [{ now, instances }, state, failures, accounts, backups, freeBytes] = await Promise.all([
    database.listInstances(),
    database.readState(),
    database.readFailures(),
    database.listLargestAccounts(MAX_ACCOUNTS),
    listRecentBackups(database),
    storage.freeBytes(),
  ])
  const fullAt = instances.find((instance) => instance.fullAt !== null)?.fullAt ?? null
  return { now, instances, state, failures, accounts, backups, freeBytes, fullAt }
}

async function listRecentBackups(database: Context['database']): Promise<BackupRecord[]> {
  // The database keeps the last complete one besides the newest ones.
  const all = await database.listBackups(KEPT_BACKUPS + 1)
  const lastComplete = all.find(({ finishedAt }) => finishedAt !== null)
  return all.filter((backup, index) => index < MAX_BACKUPS || backup === lastComplete)
}
