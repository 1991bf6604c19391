/** An instance of the service. */
export interface Instance {
  id: string
  /** The host, and the ID of the process. */
  name: string
  version: string
}

/** What an instance reports about itself. */
export interface InstanceReport extends Instance {
  /** What an operator should look at. */
  problems: string[]
  /** Of the disk storage; null for S3. */
  freeBytes: number | null
  /** When the disk will be full if it continues to fill. Null: not soon, or unknown. */
  fullAt: Date | null
}

export interface SeenInstance extends InstanceReport {
  startedAt: Date
  /** By the database's clock. */
  seenAt: Date
}

/** Failures that are recent or still exist. Each is counted up to 10,000. */
export interface RecentFailures {
  /** Mails of the last day that were not delivered. */
  mails: number
  /** Webhooks whose attempts fail, and those that were disabled in the last day because of that. */
  webhooks: number
  /** Changes of many assets that ended with an error in the last day. */
  bulkJobs: number
}

export interface AccountUsage {
  id: string
  name: string
  planName: string
  planStorage: number
  planAssets: number | null
  stored: number
  reserved: number
  trash: number
  assets: number
}

/** What an operator sees of the whole service. */
export interface OperatorData {
  /** Stores the report, and deletes instances that were not seen for `INSTANCES_KEPT_MS`: their number is bounded. */
  recordInstance(report: InstanceReport): Promise<void>
  /** The instance has ended. An unknown one is not an error. */
  removeInstance(id: string): Promise<void>
  /** At most `MAX_INSTANCES`, the oldest first, and the database's clock. */
  listInstances(): Promise<{ now: Date; instances: SeenInstance[] }>
  readFailures(): Promise<RecentFailures>
  /** The accounts that use the most storage, including the trash. */
  listLargestAccounts(limit: number): Promise<AccountUsage[]>
}

export const INSTANCES_KEPT_MS = 10 * 60_000
export const MAX_INSTANCES = 100
