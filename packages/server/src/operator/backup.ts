import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import { type BackupProgress, BackupRefused, type BackupSummary } from '../backup/backup.ts'
import { type CheckSummary, checkBackup } from '../backup/check-backup.ts'
import { backupFolderOf, checkFolder, prepareFolder, requireBackup } from '../backup/generations.ts'
import type { Config } from '../config/config.ts'
import type { SecretKey } from '../crypto/secret-key.ts'
import { createUuids } from '../crypto/uuid.ts'
import type { Database } from '../database/database.ts'
import {
  closeDatabaseFile,
  copyDatabaseFile,
  openDatabase,
  openDatabaseFile,
  openObjectPool,
  openSnapshot,
  openStorageContents,
  requireDatabase,
} from '../engines/open-engines.ts'
import { readKey } from '../engines/secret-key.ts'
import { findMismatch, REMEDY, refuseUnfinishedMove } from '../engines/storage-binding.ts'
import { copyRows } from '../move/copy-rows.ts'
import { lockDataFolder } from '../process/data-folder.ts'
import type { StorageContents } from '../storage/storage.ts'

export interface BackupOptions {
  folder: string
  /** Copies the objects of a bucket. Those of the disk storage are always copied. */
  objects: boolean
  /** Never links objects. */
  copy: boolean
  /** How many generations stay. */
  keep: number
  /** Continues the backups of another database, from which this one was restored. */
  adopt: boolean
  version: string
  onProgress: (progress: BackupProgress) => void
}

type Closers = (() => Promise<void> | void)[]

/** Backs up the configured service, whether or not it runs. */
export async function backup(config: Config, options: BackupOptions): Promise<BackupSummary> {
  await requireDatabase(config)
  const closers: Closers = []
  try {
    const long = withLongStatements(config)
    const database = await openDatabase(long, { migrate: 'off' })
    closers.push(() => database.close())
    const contents = await openStorageContents({ config, clock: () => new Date() })
    closers.push(() => contents.close())
    const identity = await requireBound(database, contents)
    const folder = backupFolderOf(resolve(options.folder))
    refuseInside(config, folder.root)
    await checkFolder(folder, identity, options)
    closers.push(await lockBackup(folder.root))
    await prepareFolder(folder, identity)
    const pool = await openObjectPool(folder.storage, { isReadOnly: false })
    return await backUp({
      onProgress: options.onProgress,
      newId: createUuids(),
      folder,
      pool,
      database,
      contents,
      copyDatabase: (file, onProgress) => copyDatabase(long, file, onProgress),
      facts: {
        version: options.version,
        engines: { database: config.database.kind, storage: config.storage.kind },
        storage: describeStorage(config),
      },
      secretKey: await findSecretKey(config, contents),
      copiesObjects: config.storage.kind === 'disk' || options.objects,
      canLink: !options.copy,
      keep: options.keep,
    })
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Reads everything in the folder and compares it with its digests. It needs no settings. */
export async function check(
  path: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<CheckSummary> {
  const folder = backupFolderOf(resolve(path))
  await requireBackup(folder)
  const pool = await openObjectPool(folder.storage, { isReadOnly: true })
  return checkBackup({ folder, pool }, onProgress)
}

/** A backup of the wrong storage would not have the files. Returns the ID of the database. */
async function requireBound(database: Database, contents: StorageContents): Promise<string> {
  const identity = await database.readIdentity()
  refuseUnfinishedMove(identity)
  const mismatch = findMismatch(identity, await contents.readIdentity())
  if (mismatch === undefined) return identity.id
  throw new Error(`The database and the storage do not belong together: ${mismatch}. ${REMEDY}`)
}

/** The service would remove, count or serve what it finds in its folders. */
function refuseInside(config: Config, folder: string): void {
  const own = config.storage.kind === 'disk' ? config.storage.directory : undefined
  for (const directory of [own, config.dataDirectory]) {
    if (directory === undefined || !`${folder}/`.startsWith(`${resolve(directory)}/`)) continue
    throw new BackupRefused(
      `${folder} is in the data folder of the service. Name a folder outside of it`,
    )
  }
}

/** One command at a time writes to the folder. */
async function lockBackup(root: string): Promise<() => void> {
  const lock = await lockDataFolder(root, { advice: 'or name another folder' })
  await lock.describe({ pid: process.pid, name: 'stowage backup', since: new Date() })
  return () => lock.close()
}

async function findSecretKey(
  config: Config,
  contents: StorageContents,
): Promise<{ id: string; text: string | undefined } | undefined> {
  const key: SecretKey | undefined = await readKey({
    storage: contents,
    configured: config.secretKey,
  })
  if (key === undefined) return undefined
  const text = config.secretKey === undefined ? await contents.readSecretKey() : undefined
  return { id: key.id, text }
}

async function copyDatabase(
  config: Config,
  file: string,
  onProgress: (part: number | undefined) => void,
): Promise<Database> {
  if (config.database.kind === 'sqlite') {
    await copyDatabaseFile(config.database.file, file, onProgress)
  } else {
    await copyFromServer(config, file, onProgress)
    await closeDatabaseFile(file)
  }
  return openDatabaseFile(file, { readOnly: true })
}

async function copyFromServer(
  config: Config,
  file: string,
  onProgress: (part: number | undefined) => void,
): Promise<void> {
  const source = await openSnapshot(config)
  if (source === undefined) throw new Error('the database is a file')
  try {
    const { assets } = await source.readState()
    const target = await openDatabaseFile(file, { readOnly: false })
    try {
      let copied = 0
      await copyRows({ source: { database: source }, target: { database: target } }, (count) => {
        copied += count
        onProgress(assets === 0 ? undefined : Math.min(1, copied / assets))
      })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const LONG_STATEMENT_MS = 3_600_000

/** Totals of whole tables take longer than the timeout of requests. */
function withLongStatements(config: Config): Config {
  const { database } = config
  if (database.kind === 'sqlite') return config
  return { ...config, database: { ...database, statementTimeoutMs: LONG_STATEMENT_MS } }
}

function describeStorage({ storage }: Config): string {
  return storage.kind === 's3' ? `s3://${storage.bucket}/${storage.prefix}` : storage.directory
}
