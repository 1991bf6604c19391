import { join } from 'node:path'
import type { StorageUpload } from '../storage.ts'

/**
 * Where things lie under the storage's folder:
 *
 *     secret                      signs the addresses
 *     identity                    which storage this is, and which database it belongs to
 *     uploads/<key>.<upload id>/  open uploads; the folder exists exactly while parts are taken
 *       00001, 00002, …           whole parts
 *       incoming-…                a part on its way
 *     uploads/<key>.<upload id>.sealed/   the same while a completion compares its parts
 *     objects/<xx>/<key>/         finished objects: the folder of the upload, renamed
 *     trash/                      what is being removed
 *
 * All of it is on one file system, so that every step from one place to the next is one rename.
 */
export interface Layout {
  root: string
  secret: string
  identity: string
  uploads: string
  objects: string
  trash: string
}

export function layoutOf(root: string): Layout {
  return {
    root,
    secret: join(root, 'secret'),
    identity: join(root, 'identity'),
    uploads: join(root, 'uploads'),
    objects: join(root, 'objects'),
    trash: join(root, 'trash'),
  }
}

export function uploadFolder(layout: Layout, upload: StorageUpload): string {
  return join(layout.uploads, `${upload.key}.${upload.id}`)
}

/** Where an upload's folder is while a completion decides whether it becomes the object. */
export function sealedFolder(layout: Layout, upload: StorageUpload): string {
  return uploadFolder(layout, upload) + SEALED
}

/** The inverse of `uploadFolder`; undefined for a folder that is none of ours, or sealed. */
export function parseUploadFolder(name: string): StorageUpload | undefined {
  const [key, id, ...rest] = name.split('.')
  return key && id && rest.length === 0 ? { key, id } : undefined
}

/** Spread over 256 folders by the random end of the key, so that none grows huge. */
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
