import type { ServiceState } from '../database/database.ts'
import type { AccountUsage, RecentFailures, SeenInstance } from '../database/operator-data.ts'
import type { Context } from './context.ts'

export interface ServiceStatus {
  now: Date
  instances: SeenInstance[]
  state: ServiceState
  failures: RecentFailures
  accounts: AccountUsage[]
  /** Undefined if the files are stored in S3. */
  freeBytes: number | undefined
  /** When the disk will be full, if an instance has seen it fill. */
  fullAt: Date | null
}

const MAX_ACCOUNTS = 100

/** What an operator sees of the whole service. */
export async function readStatus({
  database,
  storage,
}: Pick<Context, 'database' | 'storage'>): Promise<ServiceStatus> {
  const [{ now, instances }, state, failures, accounts, freeBytes] = await Promise.all([
    database.listInstances(),
    database.readState(),
    database.readFailures(),
    database.listLargestAccounts(MAX_ACCOUNTS),
    storage.freeBytes(),
  ])
  const fullAt = instances.find((instance) => instance.fullAt !== null)?.fullAt ?? null
  return { now, instances, state, failures, accounts, freeBytes, fullAt }
}
