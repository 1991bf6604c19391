import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { describeDatabase } from '../config/describe.ts'
import type { Database } from '../database/database.ts'
import { type MigrationPolicy, MigrationsPending, type OpenOptions } from '../database/migrate.ts'
import type { Finding } from '../domain/finding.ts'
import type { ListenerThread } from '../storage/disk/open-listener.ts'
import type { ObjectPool } from '../storage/object-pool.ts'
import type { OwnerSource, Storage, StorageContents, StorageUpload } from '../storage/storage.ts'
import { hostInUrl } from '../text/host-in-url.ts'

/* The only file that imports the engines. Each is loaded only if it is used. */

interface EngineOptions {
  config: Config
  clock: () => Date
}

/** The caller decides whether the database may be created or migrated. */
export async function openDatabase(
  { database }: Config,
  options: OpenOptions & { migrate: MigrationPolicy },
): Promise<Database> {
  if (database.kind === 'sqlite') {
    const { openSqliteDatabase } = await import('../database/sqlite/sqlite-database.ts')
    return openSqliteDatabase(database, options)
  }
  const { openPostgresDatabase } = await import('../database/postgres/postgres-database.ts')
  return openPostgresDatabase(database, options)
}

/** Whether a service has created the database. Changes nothing. */
export async function isDatabaseCreated({ database }: Config): Promise<boolean> {
  if (database.kind === 'sqlite') {
    const { isCreated } = await import('../database/sqlite/migrations.ts')
    return isCreated(database)
  }
  const { isCreated } = await import('../database/postgres/migrations.ts')
  return isCreated(database)
}

/** The migrations that have not run. Changes nothing. Throws if a newer version has migrated the database. */
export async function listPendingMigrations({ database }: Config): Promise<string[]> {
  if (database.kind === 'sqlite') {
    const { listPending } = await import('../database/sqlite/migrations.ts')
    return listPending(database)
  }
  const { listPending } = await import('../database/postgres/migrations.ts')
  return listPending(database)
}

/**
 * Starts the thread of the disk storage before its other modules are loaded. It does nothing until the storage opens.
 * Undefined if the storage needs no thread.
 */
export async function startListenerThread({
  storage,
}: Config): Promise<ListenerThread | undefined> {
  if (storage.kind === 's3' || storage.ownThread === false) return undefined
  const { openListenerThread } = await import('../storage/disk/open-listener.ts')
  return openListenerThread()
}

export type { ListenerThread }

interface StorageOptions extends EngineOptions {
  /** A thread that was started before. */
  listenerThread?: ListenerThread | undefined
  logger: Logger
  /** Called when a part of the service has failed and cannot continue. */
  onFatal(message: string): void
  /** Called when a download finds that the bytes of an object have changed, cannot be read or do not exist. */
  onDamage?(key: string): void
  /** What the storage asks the service for. Only the disk storage uses it. */
  source?: OwnerSource
  /** Whether the service still accepts parts of this upload. Only the disk storage calls it. */
  isUploadOpen?(upload: StorageUpload): Promise<boolean>
}

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { config, clock, logger, onFatal, onDamage, source, isUploadOpen } = options
  if (config.storage.kind === 's3') {
    const { openS3Storage } = await import('../storage/s3/s3-storage.ts')
    return openS3Storage({ ...config.storage, clock })
  }
  const { directory, port, url, reserve, fastBody, ownThread } = config.storage
  const { openDiskStorage } = await import('../storage/disk/disk-storage.ts')
  return openDiskStorage({
    directory,
    reserve,
    fastBody,
    host: config.host,
    port,
    ...(url !== undefined && { url }),
    ...(ownThread !== undefined && { ownThread }),
    onFailure({ message, fatal, facts }) {
      logger.error(facts, message)
      if (fatal) onFatal(message)
    },
    ...(options.listenerThread && { thread: options.listenerThread }),
    ...(onDamage && { onDamage }),
    ...(source && { source }),
    ...(isUploadOpen && { isUploadOpen }),
  })
}

/** Opens a data folder of SQLite and disk read-only. */
export async function openDataFolder(
  directory: string,
): Promise<{ database: Database; contents: StorageContents }> {
  const file = join(directory, 'stowage.db')
  const storage = join(directory, 'storage')
  if (!existsSync(file) || !existsSync(storage)) {
    throw new Error(`${directory} is not a data folder: it does not contain stowage.db and storage`)
  }
  const { openSqliteDatabase } = await import('../database/sqlite/sqlite-database.ts')
  const { diskContentsIn } = await import('../storage/disk/disk-contents.ts')
  const database = await openSqliteDatabase({ file, readOnly: true }).catch((error) => {
    if (!(error instanceof MigrationsPending)) throw error
    throw new Error(
      `${directory} is the data folder of an older version of Stowage. Upgrade it with \`stowage migrate\`, with STOWAGE_DATA=${directory} and without STOWAGE_DATABASE, or run this command with the older version`,
    )
  })
  return { database, contents: diskContentsIn(storage) }
}

/** A database in a file of its own, such as that of a backup. Creates or migrates it, unless it is only read. */
export async function openDatabaseFile(
  file: string,
  { readOnly }: { readOnly: boolean },
): Promise<Database> {
  const { openSqliteDatabase } = await import('../database/sqlite/sqlite-database.ts')
  return openSqliteDatabase({ file, readOnly })
}

/**
 * All reads see the state of the database at the time of the first one. Undefined if the database is a file, which
 * `copyDatabaseFile` copies.
 */
export async function openSnapshot({ database }: Config): Promise<Database | undefined> {
  if (database.kind === 'sqlite') return undefined
  const { openPostgresSnapshot } = await import('../database/postgres/postgres-database.ts')
  return openPostgresSnapshot(database)
}

/** Copies a database file while other processes use it. The copy is one file, which can be read without writing next to it. */
export async function copyDatabaseFile(
  from: string,
  to: string,
  onProgress: (part: number) => void = () => {},
): Promise<void> {
  const { copySqliteFile } = await import('../database/sqlite/copy-file.ts')
  return copySqliteFile(from, to, onProgress)
}

/** Makes a database file that is not open one file, which can be read without writing next to it. */
export async function closeDatabaseFile(file: string): Promise<void> {
  const { makeSingleFile } = await import('../database/sqlite/copy-file.ts')
  makeSingleFile(file)
}

export async function openObjectPool(
  folder: string,
  options: { isReadOnly: boolean },
): Promise<ObjectPool> {
  const pool = await import('../storage/disk/object-pool.ts')
  return pool.openObjectPool(folder, options)
}

/** Opens the storage without serving its URLs, so that it works while the service runs. */
export async function openStorageContents({
  config,
  clock,
}: EngineOptions): Promise<StorageContents & { close(): Promise<void> }> {
  if (config.storage.kind === 's3') {
    const { openS3Storage } = await import('../storage/s3/s3-storage.ts')
    return openS3Storage({ ...config.storage, clock })
  }
  const { diskContentsIn } = await import('../storage/disk/disk-contents.ts')
  return { ...diskContentsIn(config.storage.directory), close: async () => {} }
}

export async function* examineDatabase({ config, clock }: EngineOptions): AsyncIterable<Finding> {
  const { database } = config
  if (database.kind === 'sqlite') {
    const { examineSqlite } = await import('../database/sqlite/examine.ts')
    yield* examineSqlite(database)
    return
  }
  const { examinePostgres } = await import('../database/postgres/examine.ts')
  yield* examinePostgres({ ...database, clock })
}

export async function* examineStorage(
  options: EngineOptions & { newId: () => string; fix: boolean },
): AsyncIterable<Finding> {
  const { config, ...rest } = options
  const { storage, signedForMs, uploadsKeptForMs } = config
  if (storage.kind === 'disk') {
    const { examineDisk } = await import('../storage/disk/examine.ts')
    yield* examineDisk(storage)
    return
  }
  const { examineS3 } = await import('../storage/s3/examine/examine-s3.ts')
  const webOrigin = config.baseUrl ?? `http://${hostInUrl(config.host)}:${config.port}`
  const lifetimes = { signedForMs, uploadsKeptForMs }
  yield* examineS3({ ...storage, ...rest, ...lifetimes, webOrigin: new URL(webOrigin).origin })
}

/**
 * Throws if no service has created the database. Commands of an operator never create one: with a wrong
 * setting they would work on a new database that no service uses.
 */
export async function requireDatabase(config: Config): Promise<void> {
  if (await isDatabaseCreated(config)) return
  const setting =
    config.database.kind === 'sqlite'
      ? 'Set STOWAGE_DATA to the data folder of the service'
      : 'Set STOWAGE_DATABASE to the database of the service'
  throw new Error(
    `There is no Stowage database: ${describeDatabase(config)}. ${setting}, or create it by starting the service: stowage serve`,
  )
}
