import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import {
  BackupRefused,
  DATABASE_FILE,
  KEY_FILE,
  type Manifest,
  OBJECTS_FILE,
} from '../backup/backup.ts'
import {
  type BackupFolder,
  backupFolderOf,
  hashFile,
  listGenerations,
  readManifest,
  requireBackup,
} from '../backup/generations.ts'
import { type Config, usesDataFolder } from '../config/config.ts'
import { createSecretKey, type SecretKey } from '../crypto/secret-key.ts'
import { createUuids } from '../crypto/uuid.ts'
import type { Database } from '../database/database.ts'
import { MigrationsPending } from '../database/migrate.ts'
import {
  copyDatabaseFile,
  isDatabaseCreated,
  openDatabase,
  openDatabaseFile,
  openObjectPool,
  openStorage,
} from '../engines/open-engines.ts'
import { openSecretKey } from '../engines/secret-key.ts'
import { bindStorage, markOfRestore, rebindStorage } from '../engines/storage-binding.ts'
import type { Move, MoveProgress, MoveResult } from '../move/move.ts'
import { moveService } from '../move/move-service.ts'
import { lockDataFolder } from '../process/data-folder.ts'
import type { Storage } from '../storage/storage.ts'
import { onFreePort } from './move.ts'

export interface RestoreOptions {
  folder: string
  /** Default: the newest one. */
  generation: string | undefined
  /** The storage of the service still has its objects: only those that are missing are copied. */
  inPlace: boolean
  /** Reads every file again after it was copied, and compares it. */
  verify: boolean
  onProgress: (progress: MoveProgress) => void
}

export interface RestoreResult extends Omit<MoveResult, 'uploadsLeft'> {
  generation: string
  created_at: string
}

type Closers = (() => Promise<void> | void)[]

const clock = () => new Date()

/**
 * Restores a generation of a backup into the configured database and storage, which must be empty. A restore that was
 * interrupted continues when it is repeated, and until then no service starts on its target.
 */
export async function restore(config: Config, options: RestoreOptions): Promise<RestoreResult> {
  const folder = backupFolderOf(resolve(options.folder))
  await requireBackup(folder)
  const manifest = await findGeneration(folder, options.generation)
  const mark = markOfRestore(folder.root, manifest.generation)
  refuseListedObjects(manifest, options)
  const closers: Closers = []
  try {
    const database = await openRows(folder, manifest, closers)
    const pool = await openObjectPool(folder.storage, { isReadOnly: true })
    const key = await readSavedKey(config, folder, manifest)
    const target = await openTarget(
      config,
      { manifest, mark, key, inPlace: options.inPlace },
      closers,
    )
    const { uploadsLeft: _, ...moved } = await moveService({
      source: { database, contents: pool.contents, secretKey: key?.key },
      target,
      isRestore: true,
      keepParts: options.inPlace,
      ahead: false,
      verify: options.verify,
      skipDamaged: true,
      from: mark,
      clock,
      newId: createUuids(),
      onProgress: options.onProgress,
    })
    return { ...moved, generation: manifest.generation, created_at: manifest.created_at }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function findGeneration(folder: BackupFolder, name: string | undefined): Promise<Manifest> {
  const all = await listGenerations(folder)
  const generation = name ?? all.at(-1)
  if (generation === undefined) throw new BackupRefused(`${folder.root} has no complete backup`)
  if (!all.includes(generation)) {
    throw new BackupRefused(
      `${folder.root} has no generation ${generation}. It has: ${all.join(', ')}`,
    )
  }
  const manifest = await readManifest(folder, generation)
  for (const file of [DATABASE_FILE, OBJECTS_FILE, KEY_FILE]) {
    const expected = manifest.sha256[file]
    if (expected === undefined) continue
    const path = join(folder.generations, generation, file)
    if ((await hashFile(path)) === expected) continue
    throw new BackupRefused(`${path} is damaged. Restore another generation: ${all.join(', ')}`)
  }
  return manifest
}

function refuseListedObjects(
  { objects, storage }: Manifest,
  { inPlace, verify }: RestoreOptions,
): void {
  if (objects === 'stored') return
  if (inPlace && verify) {
    throw new BackupRefused(
      'this backup does not contain the objects, so there is nothing to compare them with. Restore without --verify, then run: stowage doctor --verify',
    )
  }
  if (inPlace) return
  throw new BackupRefused(
    `this backup lists the objects of ${storage}, and does not contain them. Set STOWAGE_STORAGE to this bucket or to a complete copy of it, and pass --in-place`,
  )
}

/** A backup of an older version is copied and upgraded: the backup itself never changes. */
async function openRows(
  folder: BackupFolder,
  { generation }: Manifest,
  closers: Closers,
): Promise<Database> {
  const file = join(folder.generations, generation, DATABASE_FILE)
  try {
    const database = await openDatabaseFile(file, { readOnly: true })
    closers.push(() => database.close())
    return database
  } catch (error) {
    if (!(error instanceof MigrationsPending)) throw error
  }
  const work = await mkdtemp(join(tmpdir(), 'stowage-restore-'))
  closers.push(() => rm(work, { recursive: true, force: true }))
  const copy = join(work, DATABASE_FILE)
  await copyDatabaseFile(file, copy)
  const database = await openDatabaseFile(copy, { readOnly: false })
  closers.push(() => database.close())
  return database
}

interface SavedKey {
  key: SecretKey
  /** Undefined if it is the setting. */
  text: string | undefined
}

/** The key of the service, from the backup or the settings. Undefined if the service had none, or had lost it. */
async function readSavedKey(
  { secretKey: configured }: Config,
  folder: BackupFolder,
  { generation, sha256, secret_key: id }: Manifest,
): Promise<SavedKey | undefined> {
  if (sha256[KEY_FILE] !== undefined) {
    const text = (await readFile(join(folder.generations, generation, KEY_FILE), 'utf8')).trim()
    return { key: createSecretKey(text), text }
  }
  if (id === null) return undefined
  const key = configured === undefined ? undefined : createSecretKey(configured)
  if (key?.id === id) return { key, text: undefined }
  throw new BackupRefused(
    `the service had its secret key in STOWAGE_SECRET_KEY, so the backup does not contain it. Set STOWAGE_SECRET_KEY to this key (its ID is ${id})`,
  )
}

interface TargetOptions {
  manifest: Manifest
  mark: string
  key: SavedKey | undefined
  inPlace: boolean
}

async function openTarget(
  config: Config,
  options: TargetOptions,
  closers: Closers,
): Promise<Move['target']> {
  if (usesDataFolder(config)) {
    const lock = await lockDataFolder(config.dataDirectory)
    closers.push(() => lock.close())
    await lock.describe({ pid: process.pid, name: 'stowage restore', since: clock() })
  }
  const isCreated = await isDatabaseCreated(config)
  const database = await openDatabase(config, { migrate: isCreated ? 'off' : 'auto' })
  closers.push(() => database.close())
  const isResumed = await requireEmptyDatabase(database, options)
  const logger = pino({ level: 'silent' })
  const storage = await openStorage({ config: onFreePort(config), clock, logger, onFatal() {} })
  closers.push(() => storage.close())
  await claimStorage({ database, storage }, { ...options, isResumed })
  const secretKey = await restoreKey(config, { database, storage }, options)
  return { database, storage, chunkSize: config.chunkSize, secretKey }
}

/** Whether an interrupted restore of the same backup continues. */
async function requireEmptyDatabase(database: Database, { mark }: TargetOptions): Promise<boolean> {
  const { unfinishedMove } = await database.readIdentity()
  if (unfinishedMove === mark) return true
  const isEmpty = (await database.listAccounts()).length === 0
  if (isEmpty && unfinishedMove === undefined) return false
  throw new BackupRefused(
    'the database is not empty. Restore into an empty database and an empty storage: set STOWAGE_DATA, STOWAGE_DATABASE and STOWAGE_STORAGE to new ones. To replace a database, first stop its service and rename or drop it',
  )
}

/** Binds the storage, which must be empty, or with `inPlace`, that of the service. */
async function claimStorage(
  engines: { database: Database; storage: Storage },
  { manifest, inPlace, isResumed }: TargetOptions & { isResumed: boolean },
): Promise<void> {
  const { database, storage } = engines
  const owner = await storage.readIdentity()
  const own = await database.readIdentity()
  if (owner !== undefined && owner.databaseId !== own.id) {
    if (!inPlace || owner.databaseId !== manifest.database) {
      const hint =
        owner.databaseId === manifest.database
          ? 'It is the storage of the service of this backup: stop the service, and pass --in-place to keep its files'
          : 'Restore into an empty storage'
      throw new BackupRefused(`the storage belongs to the database ${owner.databaseId}. ${hint}`)
    }
    // From now on, a service with the old database refuses to start.
    await rebindStorage(engines)
    return
  }
  if (!inPlace && !isResumed) {
    for await (const { key } of storage.listObjects()) {
      throw new BackupRefused(
        `the storage is not empty: it has the object ${key}. Restore into an empty storage, or pass --in-place if it is that of the service`,
      )
    }
  }
  await bindStorage(engines)
}

/**
 * The target gets the key of the service: links in mails that were sent contain codes that are derived from it. Returns
 * the key of the target if it is another one.
 */
async function restoreKey(
  config: Config,
  engines: { database: Database; storage: Storage },
  { key }: TargetOptions,
): Promise<SecretKey | undefined> {
  if (key?.text !== undefined && config.secretKey === undefined) {
    await engines.storage.createSecretKey(key.text)
  }
  const opened = await openSecretKey({ ...engines, configured: config.secretKey })
  if (key !== undefined && opened.id !== key.key.id && config.secretKey === undefined) {
    throw new BackupRefused(
      `the storage has another secret key (ID ${opened.id}) than the backup (ID ${key.key.id}). Remove the one in the storage, or set STOWAGE_SECRET_KEY to that of the backup: the file ${KEY_FILE} of the generation`,
    )
  }
  // With the same key, secrets stay encrypted as they are. Without the old key, nobody can decrypt them.
  return key === undefined || opened.id === key.key.id ? undefined : opened
}
