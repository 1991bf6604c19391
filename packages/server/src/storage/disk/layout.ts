import { join } from 'node:path'
import type { StorageUpload } from '../storage.ts'

/**
 * The storage's folder:
 *
 *     secret                      signs the URLs
 *     secret-key                  encrypts secrets in the database
 *     identity                    ID of this storage, and of the database that it belongs to
 *     uploads/<key>.<upload id>/  open uploads; the folder exists exactly while parts are accepted
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

export function uploadFolder(layout: Layout, upload: StorageUpload): string {
  return join(layout.uploads, `${upload.key}.${upload.id}`)
}

/** The upload's folder while a completion compares its parts. */
export function sealedFolder(layout: Layout, upload: StorageUpload): string {
  return uploadFolder(layout, upload) + SEALED
}

/** The inverse of `uploadFolder`. Returns undefined for sealed folders and unknown names. */
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
export const SEALED = '.sealed'
