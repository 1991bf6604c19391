/** A database of one engine, as the last release created it. */
export interface ReleasedDatabase {
  engine: string
  /** Creates a copy that a service can upgrade. */
  copy(): Promise<DatabaseCopy>
}

export interface DatabaseCopy {
  /** The settings of a service on this copy. */
  settings: Record<string, string>
  bytes(): Promise<number>
  /** The progress of the upgrade. No service may be running. */
  state(): Promise<{ migrations: number; sortNames: number }>
  /** A digest of the tables and of all rows, except for times and IDs that differ with every upgrade. */
  digest(): Promise<string>
}

/** The contents of a released database. */
export interface ReleasedContents {
  assets: number
  products: number
}
