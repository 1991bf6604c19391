import { randomBytes } from 'node:crypto'
import { access, constants, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hostInUrl } from '../../domain/host-in-url.ts'
import { EngineUnavailable } from '../../errors.ts'
import type { Storage, StorageUpload } from '../storage.ts'
import { downloadAddress, partAddress } from './address.ts'
import { isMissing, makeFolder } from './file-system.ts'
import { finishUpload } from './finish-upload.ts'
import { type Layout, layoutOf, objectFolder, parseUploadFolder, uploadFolder } from './layout.ts'
import { type ListenerFailure, openListener } from './open-listener.ts'
import { readPartFiles } from './part-file.ts'
import { prepareFolders } from './prepare-folders.ts'

export interface DiskStorageOptions {
  directory: string
  host: string
  /** 0 takes any free port. */
  port: number
  /** Where clients reach the listener, if not at its host and port. */
  url?: string
  onFailure(failure: ListenerFailure): void
}

const MAX_PARTS = 10_000

/** Opens the storage in a folder and starts its listener. One process at a time may hold it. */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const layout = layoutOf(options.directory)
  const secret = await prepareFolders(layout)
  const listener = await openListener({ ...options, secret })
  const inTurn = oneAtATime()
  const url = options.url ?? `http://${hostInUrl(options.host)}:${listener.port}`

  /** Where the whole folder is missing (a disk not mounted), nothing may be taken for gone. */
  function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
    return asOutage(async () => {
      await access(layout.uploads, constants.W_OK)
      return work()
    })
  }

  return {
    maxParts: MAX_PARTS,
    url,

    createUpload: (upload) =>
      asOutage(async () => {
        await makeFolder(uploadFolder(layout, upload))
        return upload.id
      }),

    async signParts(upload, parts, expiresAt) {
      return parts.map((part) => url + partAddress(secret, upload, part, expiresAt))
    },

    listParts: (upload) => onDisk(() => readPartFiles(uploadFolder(layout, upload))),

    completeUpload: (upload, plan, parts) =>
      onDisk(() => inTurn(upload.key, () => finishUpload(layout, upload, { plan, parts }))),

    abortUpload: (upload) =>
      onDisk(() => inTurn(upload.key, () => discard(layout, uploadFolder(layout, upload)))),

    async signDownload(object, expiresAt) {
      return url + downloadAddress(secret, object, expiresAt)
    },

    removeObject: (key) => onDisk(() => discard(layout, objectFolder(layout, key))),

    async *listUploads() {
      for (const name of await asOutage(() => readdir(layout.uploads))) {
        const upload: StorageUpload | undefined = parseUploadFolder(name)
        const folder = upload && (await findFolder(uploadFolder(layout, upload)))
        if (upload && folder) yield { ...upload, openedAt: folder.birthtime }
      }
    },

    check: () => onDisk(async () => listener.check()),

    close: () => listener.close(),
  }
}

/** One rename takes the folder out of everyone's reach; only then it is emptied. */
async function discard(layout: Layout, folder: string): Promise<void> {
  const grave = join(layout.trash, randomBytes(8).toString('hex'))
  try {
    await rename(folder, grave)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  await rm(grave, { recursive: true, force: true })
}

/** Undefined when it went away meanwhile. */
async function findFolder(folder: string) {
  try {
    return await stat(folder)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Calls for one key wait for each other: a completion takes more than one step on the disk. */
function oneAtATime() {
  const last = new Map<string, Promise<unknown>>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}

async function asOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new EngineUnavailable('storage', error)
  }
}
