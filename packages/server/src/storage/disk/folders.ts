import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StorageUpload } from '../storage.ts'
import { hasCode, isInUse, isMissing, move, syncFolder } from './file-system.ts'

/**
 * The storage's folder:
 *
 *     secret                      signs the URLs
 *     secret-key                  encrypts secrets in the database
 *     identity                    ID of this storage, and of the database that it belongs to
 *     uploads/<key>.<upload id>/  open uploads; the first part creates the folder, the end of the upload renames it
 *       00001, 00002, …           complete parts
 *       incoming-…                a part in transfer
 *     uploads/<key>.<upload id>.sealed/   the same while a completion compares its parts
 *     objects/<xx>/<key>/         objects: the renamed folder of the upload
 *     trash/                      folders that are being deleted
 *
 * Everything is on one file system, so that each transition is a single rename.
 */
export interface Layout {
  root: string
  secret: string
  secretKey: string
  identity: string
  uploads: string
  objects: string
  trash: string
}

export function layoutOf(root: string): Layout {
  return {
    root,
    secret: join(root, 'secret'),
    secretKey: join(root, 'secret-key'),
    identity: join(root, 'identity'),
    uploads: join(root, 'uploads'),
    objects: join(root, 'objects'),
    trash: join(root, 'trash'),
  }
}

/** Identifies an upload, and names its folder. */
export function uploadName({ key, id }: StorageUpload): string {
  return `${key}.${id}`
}

export function uploadFolder(layout: Layout, upload: StorageUpload): string {
  return join(layout.uploads, uploadName(upload))
}

/** The upload's folder while a completion compares its parts. */
export function sealedFolder(layout: Layout, upload: StorageUpload): string {
  return uploadFolder(layout, upload) + SEALED
}

/** The inverse of `uploadName`. Returns undefined for sealed folders and unknown names. */
export function parseUploadFolder(name: string): StorageUpload | undefined {
  const [key, id, ...rest] = name.split('.')
  return key && id && rest.length === 0 ? { key, id } : undefined
}

/** Objects are spread over 256 folders by the random end of the key, to limit the size of each. */
export function objectShard(layout: Layout, key: string): string {
  return join(layout.objects, key.slice(-2))
}

export function objectFolder(layout: Layout, key: string): string {
  return join(objectShard(layout, key), key)
}

export function partFile(folder: string, number: number): string {
  return join(folder, String(number).padStart(5, '0'))
}

export const INCOMING_PREFIX = 'incoming-'
const SEALED = '.sealed'

const SECRET_LENGTH = 32

/** Creates the folders, cleans up after a crash, and returns the signing secret. */
export async function prepareFolders(layout: Layout): Promise<Buffer> {
  for (const folder of [layout.root, layout.uploads, layout.objects]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  await rm(layout.trash, { recursive: true, force: true })
  await mkdir(layout.trash, { mode: 0o700 })
  await reopenAllSealed(layout)
  await clearUploads(layout)
  return readOrCreateSecret(layout.secret)
}

async function reopenAllSealed(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.uploads)) {
    if (!name.endsWith(SEALED)) continue
    const upload = parseUploadFolder(name.slice(0, -SEALED.length))
    if (upload !== undefined) await reopenSealed(layout, upload)
  }
}

/** Removes incomplete parts, and the folders of uploads whose objects exist. */
async function clearUploads(layout: Layout): Promise<void> {
  for (const folderName of await readdir(layout.uploads)) {
    const upload = parseUploadFolder(folderName)
    if (upload === undefined) continue
    const folder = join(layout.uploads, folderName)
    if (existsSync(objectFolder(layout, upload.key))) {
      await discard(layout, folder)
      continue
    }
    for (const name of await readdir(folder)) {
      if (name.startsWith(INCOMING_PREFIX)) await rm(join(folder, name), { force: true })
    }
  }
}

async function readOrCreateSecret(path: string): Promise<Buffer> {
  if (!existsSync(path)) await createSecret(path)
  const secret = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex')
  if (secret.length !== SECRET_LENGTH) {
    throw new Error(
      `${path} does not contain a signing secret. Restore it, or delete it to create a new one (existing signed URLs stop working)`,
    )
  }
  return secret
}

/** Written to another name and renamed, so that the file is never incomplete. */
async function createSecret(path: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(randomBytes(SECRET_LENGTH).toString('hex'))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}

/**
 * Reopens an upload whose folder stayed sealed because its completion was interrupted, by a crash or
 * by a failing disk. If the upload was opened again in the meantime, its new folder is kept and the sealed one
 * is removed. Must not be called while a completion of the upload runs.
 */
export async function reopenSealed(layout: Layout, upload: StorageUpload): Promise<void> {
  const sealed = sealedFolder(layout, upload)
  if (!existsSync(sealed)) return
  const folder = uploadFolder(layout, upload)
  if (existsSync(folder)) await discard(layout, sealed)
  else await move(sealed, folder)
}

/** Removes a folder atomically: renames it into the trash, then deletes its contents. */
export async function discard(layout: Layout, folder: string): Promise<void> {
  const discarded = join(layout.trash, randomBytes(8).toString('hex'))
  try {
    await rename(folder, discarded)
  } catch (error) {
    if (isMissing(error)) {
      if (!existsSync(folder)) return
      // The trash folder was removed.
      await mkdir(layout.trash, { recursive: true, mode: 0o700 })
      return discard(layout, folder)
    }
    // Windows does not rename a folder with an open file in it, but can remove the file. A full disk
    // may have no space for an entry in the trash: deleting the contents in place frees some.
    if (!isInUse(error) && !hasCode(error, 'ENOSPC', 'EDQUOT')) throw error
    return rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  await rm(discarded, { recursive: true, force: true })
}
