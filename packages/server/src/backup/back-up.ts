import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, StoredFile } from '../database/database.ts'
import { walkStoredFiles } from '../database/walk-database.ts'
import { DamagedObject } from '../domain/errors.ts'
import { partPlan } from '../domain/parts.ts'
import { settleAll } from '../iterables/concurrency.ts'
import { inBatches, mergeByKey } from '../iterables/sequences.ts'
import type { ObjectPool } from '../storage/object-pool.ts'
import type { StorageContents } from '../storage/storage.ts'
import {
  type BackupProgress,
  type BackupSummary,
  DATABASE_FILE,
  KEY_FILE,
  MAX_NAMED,
  type Manifest,
  OBJECTS_FILE,
  type ObjectLine,
  type UnsavedFile,
} from './backup.ts'
import {
  type BackupFolder,
  finishGeneration,
  hashFile,
  listGenerations,
  readAllObjectLines,
  removeGeneration,
  startGeneration,
  writeFile,
} from './generations.ts'
import { holdRemovals } from './hold.ts'

/** How many objects are copied at the same time. */
const BATCH = 8

export interface Backup {
  folder: BackupFolder
  pool: ObjectPool
  database: Database
  contents: StorageContents
  /** Writes the rows of this moment to an SQLite database in this file, and returns that database, opened to read. */
  copyDatabase(file: string, onProgress: (part: number | undefined) => void): Promise<Database>
  facts: Pick<Manifest, 'version' | 'engines' | 'storage'>
  /** The key that encrypts secrets, and its ID. Without `text`, it is a setting of the operator. */
  secretKey: { id: string; text: string | undefined } | undefined
  /** Copies the objects. Otherwise they are only listed. */
  copiesObjects: boolean
  /** Links objects that are on the same file system. */
  canLink: boolean
  /** How many generations stay. */
  keep: number
  newId: () => string
  onProgress: (progress: BackupProgress) => void
}

/**
 * Writes a new generation while the service runs. First the rows of one moment, then the objects that these rows need:
 * meanwhile the service removes none. An interrupted backup has no effect but the objects that it has copied, which the
 * next one does not copy again.
 */
export async function backUp(backup: Backup): Promise<BackupSummary> {
  const { folder, database } = backup
  const id = backup.newId()
  const hold = await holdRemovals(database, { id, location: folder.root })
  let summary: BackupSummary | undefined
  try {
    const at = await database.readClock()
    const incoming = await startGeneration(folder, at)
    const saved = await saveDatabaseAndFiles(backup, incoming)
    if (!(await hold.check())) {
      throw new Error(
        'the backup was interrupted for more than ten minutes, or could not reach the database for so long: files that it needs may have been removed meanwhile. Run it again; it continues with the files that it has copied',
      )
    }
    const manifest = await finishGeneration(folder, incoming, {
      at,
      manifest: await describe(backup, at, saved),
    })
    summary = { ...saved.summary, generation: manifest.generation }
  } finally {
    hold.stop()
    await database.endBackup(id, summary && toResult(summary)).catch(ignoreUnlessDone(summary))
  }
  const removedGenerations = await removeOldGenerations(backup)
  return { ...summary, removedGenerations }
}

/** The hold ends anyway, and the first error is the one to report. */
function ignoreUnlessDone(summary: BackupSummary | undefined) {
  return (error: unknown) => {
    if (summary !== undefined) throw error
  }
}

function toResult({ generation, files, bytes, damagedTotal }: BackupSummary) {
  return { generation, files, bytes, damaged: damagedTotal }
}

interface Saved {
  summary: BackupSummary
  sha256: Record<string, string>
}

async function saveDatabaseAndFiles(backup: Backup, incoming: string): Promise<Saved> {
  const { folder, secretKey, copiesObjects, onProgress } = backup
  const progress: BackupProgress = { phase: 'database', files: 0, bytes: 0, totalBytes: 0 }
  const file = join(incoming, DATABASE_FILE)
  const copy = await backup.copyDatabase(file, (part) => onProgress({ ...progress, part }))
  onProgress({ ...progress, part: 1 })
  const summary: BackupSummary = {
    folder: folder.root,
    generation: '',
    files: 0,
    bytes: 0,
    bytesCopied: 0,
    bytesLinked: 0,
    objects: copiesObjects ? 'stored' : 'listed',
    hasSecretKey: secretKey?.text !== undefined,
    damaged: [],
    damagedTotal: 0,
    removedGenerations: [],
  }
  try {
    const { stored, trash } = await copy.readState()
    const totalBytes = stored + trash
    const onFile = () =>
      onProgress({ phase: 'files', files: summary.files, bytes: summary.bytes, totalBytes })
    const objects = await saveObjects(backup, { copy, incoming, summary, onFile })
    const sha256: Record<string, string> = { [OBJECTS_FILE]: objects }
    await copy.close()
    sha256[DATABASE_FILE] = await hashFile(file)
    if (secretKey?.text !== undefined) {
      const text = `${secretKey.text}\n`
      await writeFile(join(incoming, KEY_FILE), text)
      sha256[KEY_FILE] = createHash('sha256').update(text).digest('hex')
    }
    return { summary, sha256 }
  } catch (error) {
    await copy.close()
    throw error
  }
}

/** Returns the SHA-256 of the list. */
async function saveObjects(
  backup: Backup,
  work: { copy: Database; incoming: string; summary: BackupSummary; onFile: () => void },
): Promise<string> {
  const { copy, incoming, summary, onFile } = work
  const hash = createHash('sha256')
  const list = await open(join(incoming, OBJECTS_FILE), 'wx', 0o600)
  try {
    for await (const batch of inBatches(neededObjects(backup, copy), BATCH)) {
      const lines: ObjectLine[] = []
      await settleAll(
        batch.map(async (needed, index) => {
          lines[index] = await saveObject(backup, needed, summary)
          onFile()
        }),
      )
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      hash.update(text)
      await list.writeFile(text)
    }
    await list.sync()
  } finally {
    await list.close()
  }
  return hash.digest('hex')
}

interface NeededObject {
  file: StoredFile
  /** Of an object that is only listed: its size in the storage; undefined if it is missing. */
  size: number | undefined
}

/** Objects that are only listed are compared with the list of the storage, which is read once. */
async function* neededObjects(
  { contents, copiesObjects }: Backup,
  copy: Database,
): AsyncIterable<NeededObject> {
  if (copiesObjects) {
    for await (const file of walkStoredFiles(copy)) yield { file, size: undefined }
    return
  }
  const key = (one: { key: string }) => one.key
  const pairs = mergeByKey(walkStoredFiles(copy), contents.listObjects(), { left: key, right: key })
  for await (const { left: file, right: object } of pairs) {
    if (file !== undefined) yield { file, size: object?.size }
  }
}

async function saveObject(
  backup: Backup,
  { file, size }: NeededObject,
  summary: BackupSummary,
): Promise<ObjectLine> {
  const { key, bytes, chunkSize, integrity } = file
  const line = { key, bytes, chunk_size: chunkSize }
  const saved = backup.copiesObjects
    ? await copyObject(backup, file, summary)
    : size === bytes
      ? { sha256: integrity.sha256 }
      : { problem: size === undefined ? 'the object is missing' : `the object has ${size} bytes` }
  if ('problem' in saved) {
    summary.damagedTotal += 1
    if (summary.damaged.length < MAX_NAMED) summary.damaged.push(toUnsaved(file, saved.problem))
    return { ...line, sha256: null, damaged: saved.problem }
  }
  summary.files += 1
  summary.bytes += bytes
  return { ...line, sha256: saved.sha256 }
}

function toUnsaved({ assetId, filename, version }: StoredFile, reason: string): UnsavedFile {
  return { id: assetId, filename, version, reason }
}

async function copyObject(
  { pool, contents, canLink, facts }: Backup,
  { key, bytes, chunkSize, integrity }: StoredFile,
  summary: BackupSummary,
): Promise<{ sha256: string } | { problem: string }> {
  const known = await pool.find(key)
  if (known?.size === bytes) return known
  const isOnDisk = facts.engines.storage === 'disk'
  const folder = isOnDisk && canLink ? contents.describeObject(key) : undefined
  // Of a file whose declared digest is wrong, the bytes that were uploaded are kept.
  const sha256 = integrity.isDamaged ? undefined : (integrity.sha256 ?? undefined)
  try {
    const object = { key, plan: partPlan(bytes, chunkSize), sha256 }
    const added = await pool.add(object, { contents, folder })
    if (added.isLinked) summary.bytesLinked += bytes
    else summary.bytesCopied += bytes
    return added
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    return { problem: error.message }
  }
}

async function describe(
  { facts, database, secretKey }: Backup,
  at: Date,
  saved: Saved,
): Promise<Omit<Manifest, 'generation' | 'format'>> {
  const { files, bytes, damagedTotal, objects } = saved.summary
  return {
    version: facts.version,
    database: (await database.readIdentity()).id,
    created_at: at.toISOString(),
    engines: facts.engines,
    storage: facts.storage,
    objects,
    files,
    bytes,
    damaged: damagedTotal,
    secret_key: secretKey?.id ?? null,
    sha256: saved.sha256,
  }
}

/** Removes the oldest generations, and the objects that no other generation has. Returns their names. */
async function removeOldGenerations({ folder, pool, keep }: Backup): Promise<string[]> {
  const all = await listGenerations(folder)
  const removed = all.slice(0, Math.max(0, all.length - keep))
  if (removed.length === 0) return []
  for (const name of removed) await removeGeneration(folder, name)
  const left = readAllObjectLines(folder, await listGenerations(folder))
  const keys = await pool.listKeys()
  const pooled = (async function* () {
    for (const key of keys) yield { key }
  })()
  const key = (one: { key: string }) => one.key
  for await (const pair of mergeByKey(left, pooled, { left: key, right: key })) {
    if (pair.left === undefined) await pool.remove(pair.key)
  }
  return removed
}
