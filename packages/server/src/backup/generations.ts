import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  BackupRefused,
  MANIFEST_FILE,
  type Manifest,
  OBJECTS_FILE,
  type ObjectLine,
} from './backup.ts'

/**
 * The folder of a backup:
 *
 *     backup.json                       which database it belongs to
 *     lock, lock.json                   one command at a time writes to it
 *     storage/                          the objects of all generations: see `ObjectPool`
 *     generations/<time>/               a generation; its name is its time, so that they sort by it
 *       stowage.db                      the rows, as an SQLite database, whatever the database of the service is
 *       objects.jsonl                   the objects that the rows need
 *       secret-key                      encrypts secrets in the database, unless it is a setting
 *       manifest.json                   digests of these files
 *     generations/incoming-<time>/      a generation that is being written
 */
export interface BackupFolder {
  root: string
  storage: string
  generations: string
}

export function backupFolderOf(root: string): BackupFolder {
  return { root, storage: join(root, 'storage'), generations: join(root, 'generations') }
}

const FORMAT = 1
const IDENTITY_FILE = 'backup.json'
const INCOMING = 'incoming-'

/** Refuses the folder of another service, unless `adopt`, and one with other files. Changes nothing. */
export async function checkFolder(
  folder: BackupFolder,
  database: string,
  { adopt }: { adopt: boolean },
): Promise<void> {
  const { root } = folder
  const owner = await readOwner(folder)
  if (owner === undefined) {
    const names = existsSync(root) ? await readdir(root) : []
    if (names.every((name) => /^(lock(\.json)?|lost\+found)$/.test(name))) return
    throw new BackupRefused(
      `${root} is not empty, and has no backups of Stowage. Name an empty or a new folder`,
    )
  }
  if (owner === database || adopt) return
  throw new BackupRefused(
    `${root} has backups of the database ${owner}, but this is the database ${database}. Name another folder. If the service was restored from these backups, continue them with --adopt`,
  )
}

/** Creates the folder, and removes generations that were interrupted. Call it while no other command writes to the folder. */
export async function prepareFolder(folder: BackupFolder, database: string): Promise<void> {
  const { root, generations } = folder
  // Also a folder that the operator has created. The backup contains secrets and personal data.
  await chmod(root, 0o700)
  await mkdir(generations, { recursive: true, mode: 0o700 })
  if ((await readOwner(folder)) !== database) {
    await writeFile(join(root, IDENTITY_FILE), `${JSON.stringify({ format: FORMAT, database })}\n`)
  }
  for (const name of await readdir(generations)) {
    const isComplete = existsSync(join(generations, name, MANIFEST_FILE))
    if (isComplete && !name.startsWith(INCOMING)) continue
    await rm(join(generations, name), { recursive: true, force: true })
  }
}

async function readOwner({ root }: BackupFolder): Promise<string | undefined> {
  const file = join(root, IDENTITY_FILE)
  if (!existsSync(file)) return undefined
  const { format, database } = JSON.parse(await readFile(file, 'utf8'))
  if (format !== FORMAT) throw newerFormat(file)
  return String(database)
}

function newerFormat(file: string): BackupRefused {
  return new BackupRefused(`${file} was written by a newer version of Stowage: use that version`)
}

/** Throws unless it is the folder of a backup. */
export async function requireBackup(folder: BackupFolder): Promise<void> {
  if ((await readOwner(folder)) !== undefined) return
  throw new BackupRefused(
    `${folder.root} is not a backup of Stowage: it does not contain ${IDENTITY_FILE}`,
  )
}

/** The folder of a new generation, which has no name until it is complete. */
export async function startGeneration({ generations }: BackupFolder, at: Date): Promise<string> {
  const folder = join(generations, INCOMING + nameOf(at))
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/** `20261231T235959Z`. */
function nameOf(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Gives the generation its name. A second one of the same second gets a number. */
export async function finishGeneration(
  { generations }: BackupFolder,
  incoming: string,
  { at, manifest }: { at: Date; manifest: Omit<Manifest, 'generation' | 'format'> },
): Promise<Manifest> {
  let generation = nameOf(at)
  for (let number = 2; existsSync(join(generations, generation)); number += 1) {
    generation = `${nameOf(at)}-${number}`
  }
  const complete: Manifest = { format: FORMAT, generation, ...manifest }
  await writeFile(join(incoming, MANIFEST_FILE), `${JSON.stringify(complete, null, 2)}\n`)
  await rename(incoming, join(generations, generation))
  await syncFolder(generations)
  return complete
}

/** The names of the complete generations, the oldest first. */
export async function listGenerations({ generations }: BackupFolder): Promise<string[]> {
  const names = await readdir(generations).catch(() => [] as string[])
  return names
    .filter(
      (name) => existsSync(join(generations, name, MANIFEST_FILE)) && !name.startsWith(INCOMING),
    )
    .sort()
}

export async function readManifest(
  { generations }: BackupFolder,
  generation: string,
): Promise<Manifest> {
  const file = join(generations, generation, MANIFEST_FILE)
  const manifest: Manifest = JSON.parse(await readFile(file, 'utf8'))
  if (manifest.format !== FORMAT) throw newerFormat(file)
  return manifest
}

/** A generation that is removed has no manifest any more: it is incomplete at once. */
export async function removeGeneration({ generations }: BackupFolder, name: string): Promise<void> {
  await rm(join(generations, name, MANIFEST_FILE), { force: true })
  await rm(join(generations, name), { recursive: true, force: true })
}

/** The objects of a generation, in the order of their keys. */
export async function* readObjectLines(
  { generations }: BackupFolder,
  generation: string,
): AsyncIterable<ObjectLine> {
  const file = createReadStream(join(generations, generation, OBJECTS_FILE))
  for await (const line of createInterface({ input: file, crlfDelay: Infinity })) {
    yield JSON.parse(line)
  }
}

/** The objects that any of the generations has, once each, in the order of their keys. */
export async function* readAllObjectLines(
  folder: BackupFolder,
  generations: string[],
): AsyncIterable<ObjectLine> {
  const readers = generations.map((name) => readObjectLines(folder, name)[Symbol.asyncIterator]())
  const heads = await Promise.all(readers.map((reader) => reader.next()))
  for (;;) {
    const open = heads.flatMap((head) => (head.done ? [] : [head.value as ObjectLine]))
    const [first] = open.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    if (first === undefined) return
    yield open.find(({ key, damaged }) => key === first.key && damaged === undefined) ?? first
    for (const [index, head] of heads.entries()) {
      if (head.done || head.value.key !== first.key) continue
      heads[index] = (await readers[index]?.next()) as (typeof heads)[number]
    }
  }
}

/** The SHA-256 of a file, in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

/** Readable by this user only, and synced. */
export async function writeFile(path: string, text: string): Promise<void> {
  const written = `${path}.new`
  const file = await open(written, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(written, path)
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const file = await open(folder, 'r')
  await file.sync().finally(() => file.close())
}
