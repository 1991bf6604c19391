import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hmacOf } from '../../crypto/hmac.ts'
import { EngineUnavailable } from '../../domain/errors.ts'
import { type PartPlan, partsAtFault } from '../../domain/parts.ts'
import { etagOfKey } from '../../node-http/byte-ranges.ts'
import { hostInUrl } from '../../text/host-in-url.ts'
import type {
  CompletionOutcome,
  OpenUpload,
  OwnerSource,
  Storage,
  StorageUpload,
} from '../storage.ts'
import { diskContents, requireMounted } from './disk-contents.ts'
import {
  isMissing,
  makeFolder,
  makeFolderSync,
  moveNow,
  readFree,
  syncFolder,
  watchFreeSpace,
} from './file-system.ts'
import {
  type Layout,
  layoutOf,
  objectFolder,
  objectShard,
  prepareFolders,
  reopenSealed,
  sealedFolder,
  uploadFolder,
  uploadName,
} from './folders.ts'
import { type ListenerFailure, type ListenerThread, openListener } from './open-listener.ts'
import { hashSmallObject, readPartFiles, readParts } from './part-file.ts'
import { archiveUrl, downloadUrl, partUrl } from './signed-url.ts'

interface DiskStorageOptions {
  directory: string
  host: string
  /** 0: any free port. */
  port: number
  /** The base URL for clients. Default: the listener's host and port. */
  url?: string
  /** How many bytes of the disk stay free. Parts that would need them are refused. */
  reserve: number
  /** Bypasses Node's HTTP parser for long bodies (see `fast-body.ts`). Default: true. */
  fastBody?: boolean
  /** Whether transfers run in their own thread. Default: true. */
  ownThread?: boolean
  /** The thread for transfers, if it was started before. */
  thread?: ListenerThread
  onFailure(failure: ListenerFailure): void
  /** Called when a download finds that the bytes of an object have changed, cannot be read or do not exist. */
  onDamage?(key: string): void
  /** What the listener asks for. Default: there are no archives, and no URL remains valid. */
  source?: OwnerSource
  /**
   * Whether the service still accepts parts of this upload. Called for an upload without a folder that this process has
   * not created: it may have been created before a restart, and have no part yet. Default: it has ended.
   */
  isUploadOpen?(upload: StorageUpload): Promise<boolean>
}

const MAX_PARTS = 10_000
/** More uploads without a part get their folders at once, so that their list does not use more memory. */
const MAX_WITHOUT_PARTS = 100_000
const MAX_OWN_FOLDERS = 100_000

/** Opens the storage in a folder and starts its listener. Only one process may have it open. */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const layout = layoutOf(options.directory)
  const secret = prepareFolders(layout)
  // A failure is thrown by `openListener`, which may first wait for something else.
  secret.catch(() => {})
  const withKey = serializeByKey()
  // Asking the disk for each new session would be a sixth of its cost. Sessions use no space: each part is checked again.
  const space = watchFreeSpace(() => requireMounted(layout, () => readFree(layout.uploads)))
  /** Uploads of this process that have no folder: the first part creates it. */
  const withoutParts = new Map<string, OpenUpload>()
  /** Uploads whose folder this process has created. An earlier one may have been killed before it synced a part. */
  const ownFolders = new Set<string>()
  const shards = openShards(layout.objects)
  /** Calls for one key never overlap, so no completion runs here: a folder that is still sealed is reopened. */
  const withUpload = <Result>(upload: StorageUpload, work: () => Promise<Result>) =>
    withKey(upload.key, async () => {
      try {
        accessSync(layout.uploads, constants.W_OK)
        await reopenSealed(layout, upload)
        return await work()
      } catch (error) {
        space.forget()
        throw new EngineUnavailable('storage', error)
      }
    })

  /** Whether an upload that has no folder accepts its first part. */
  async function awaitsFirstPart(upload: StorageUpload): Promise<boolean> {
    // A completed upload must not accept parts again.
    if (existsSync(objectFolder(layout, upload.key))) return false
    const name = uploadName(upload)
    if (withoutParts.has(name)) return true
    const isOpen = (await options.isUploadOpen?.(upload)) ?? false
    if (isOpen) withoutParts.set(name, { ...upload, openedAt: new Date() })
    return isOpen
  }

  /** Creates the folder of an upload for its first part. Returns false if the upload has ended. */
  const openFolder = (upload: StorageUpload) =>
    withUpload(upload, async () => {
      const folder = uploadFolder(layout, upload)
      if (existsSync(folder)) return true
      if (!(await awaitsFirstPart(upload))) return false
      // In the thread pool, because creating a folder may wait for a sync of other folders.
      await makeFolder(folder)
      withoutParts.delete(uploadName(upload))
      if (ownFolders.size < MAX_OWN_FOLDERS) ownFolders.add(uploadName(upload))
      return true
    })

  const listener = await openListener({ ...options, secret, openFolder })
  const hmac = hmacOf(await secret)
  const url = options.url ?? `http://${hostInUrl(options.host)}:${listener.port}`

  const contents = diskContents(layout)
  const { reserve } = options

  /** The upload accepts no more parts. */
  function endUpload(upload: StorageUpload): void {
    withoutParts.delete(uploadName(upload))
    ownFolders.delete(uploadName(upload))
    listener.endUpload(upload)
  }

  return {
    ...contents,
    maxParts: MAX_PARTS,
    url,

    async createUpload({ key, id }) {
      await space.readRecent(0)
      // A completed upload must not accept parts again.
      if (existsSync(objectFolder(layout, key))) return id
      if (withoutParts.size < MAX_WITHOUT_PARTS) {
        withoutParts.set(uploadName({ key, id }), { key, id, openedAt: new Date() })
      } else {
        await withUpload({ key, id }, async () => makeFolderSync(uploadFolder(layout, { key, id })))
      }
      return id
    },

    async signParts(upload, parts, expiresAt) {
      const urls = parts.map((part) => url + partUrl(hmac, upload, part, expiresAt))
      return { urls, expiresAt }
    },

    listParts: (upload) =>
      withUpload(upload, async () => {
        const parts = await readPartFiles(uploadFolder(layout, upload))
        return parts ?? ((await awaitsFirstPart(upload)) ? [] : undefined)
      }),

    completeUpload: (upload, plan, parts, wanted = {}) =>
      withUpload(upload, async () => {
        const isOwn = ownFolders.has(uploadName(upload))
        const hasUnsynced = () => !isOwn || listener.activity.hasAny(upload)
        const outcome = await finishUpload(layout, shards, { upload, plan, parts, hasUnsynced })
        if (outcome.outcome === 'completed') {
          endUpload(upload)
          const hashes = wanted.hashes && hashSmallObject(layout, upload.key, plan)
          return { ...outcome, ...(hashes && { hashes }) }
        }
        if (outcome.outcome !== 'gone' || !(await awaitsFirstPart(upload))) return outcome
        return { outcome: 'refused', parts: partsAtFault([], plan, parts) }
      }),

    abortUpload: (upload) =>
      withUpload(upload, async () => {
        await contents.abortUpload(upload)
        endUpload(upload)
      }),
    closeUpload: (upload) =>
      withUpload(upload, async () => {
        await contents.closeUpload(upload)
        endUpload(upload)
      }),
    findObject: (key) => withKey(key, () => contents.findObject(key)),
    removeObject: (key) => withKey(key, () => contents.removeObject(key)),

    async signDownload(object, expiresAt) {
      return { url: url + downloadUrl(hmac, object, expiresAt), expiresAt }
    },
    downloadETag: etagOfKey,

    async signArchive(id, expiresAt) {
      return { url: url + archiveUrl(hmac, id, expiresAt), expiresAt }
    },

    async *listUploads(key) {
      // Listed first, because their folders may be created while the others are listed.
      const listed = new Map(withoutParts)
      for (const upload of listed.values()) {
        if (key === undefined || upload.key === key) yield upload
      }
      for await (const upload of contents.listUploads(key)) {
        if (!listed.has(uploadName(upload))) yield upload
      }
    },

    async freeBytes(needed) {
      const free = await space.readRecent(needed === undefined ? Infinity : needed + reserve)
      return Math.max(0, free - reserve)
    },

    isBusy: () => listener.isBusy(),

    async check() {
      await space.read()
      await requireMounted(layout, async () => listener.check())
    },

    drain: () => listener.close(),
    close: () => listener.close(),
  }
}

/** Runs calls for the same key one after the other: a completion has several steps. */
function serializeByKey() {
  const last = new Map<string, Promise<unknown>>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const call = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, call)
    try {
      return await call
    } finally {
      if (last.get(key) === call) last.delete(key)
    }
  }
}

interface Completion {
  upload: StorageUpload
  plan: PartPlan
  parts: { number: number; etag: string }[]
  /** Whether a part that is in place may not be synced yet. Called after the folder is sealed. */
  hasUnsynced(): boolean
}

/**
 * Turns the upload's folder into the object. Calls for one key must not run concurrently.
 *
 * First the folder is renamed to its sealed name, where no part can be added or replaced. Its parts
 * are compared there. Then it is renamed to the object, or back to an upload. So an object's folder is
 * always complete and never changes until it is removed: a late call finds the object and does not
 * touch it, whatever parts it expected.
 *
 * Only the syncs run in Node's thread pool. Every other call there would wait for the syncs of all other completions,
 * one after another, and a completion among hundreds would take several times as long as any other call.
 */
async function finishUpload(
  layout: Layout,
  shards: Shards,
  { upload, plan, parts, hasUnsynced }: Completion,
): Promise<CompletionOutcome> {
  const target = objectFolder(layout, upload.key)
  if (existsSync(target)) {
    // An earlier call may have been interrupted between its rename and the syncs.
    await Promise.all([dirname(target), layout.objects, layout.uploads].map(syncFolder))
    const received = (await readPartFiles(target)) ?? []
    return { outcome: partsAtFault(received, plan, []).length === 0 ? 'completed' : 'gone' }
  }
  const source = uploadFolder(layout, upload)
  const sealed = sealedFolder(layout, upload)
  const shard = objectShard(layout, upload.key)
  shards.create(shard)
  try {
    await moveNow(source, sealed)
  } catch (error) {
    if (isMissing(error)) return { outcome: 'gone' }
    throw error
  }
  let isObject = false
  try {
    const names = readdirSync(sealed)
    const received = await readParts(sealed, names)
    const atFault = partsAtFault(received, plan, parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    // These were in transfer when the folder was sealed.
    const others = names.filter((name) => !isPartOf(plan, name))
    for (const name of others) await rm(join(sealed, name), { force: true })
    if (others.length > 0 || hasUnsynced()) await syncFolder(sealed)
    await moveNow(sealed, target)
    isObject = true
  } finally {
    if (!isObject) await moveNow(sealed, source)
  }
  await Promise.all([syncFolder(shard), syncFolder(layout.uploads), shards.sync(shard)])
  return { outcome: 'completed' }
}

function isPartOf(plan: PartPlan, name: string): boolean {
  return /^\d{5}$/.test(name) && Number(name) >= 1 && Number(name) <= plan.count
}

/** The folders of `objects`. */
interface Shards {
  create(shard: string): void
  /** Makes the folder itself durable. Most calls find that an earlier one has done it. */
  sync(shard: string): Promise<void>
}

function openShards(objects: string): Shards {
  const synced = new Set<string>()
  return {
    create(shard) {
      if (existsSync(shard)) return
      synced.delete(shard)
      makeFolderSync(shard)
    },
    async sync(shard) {
      if (synced.has(shard)) return
      await syncFolder(objects)
      synced.add(shard)
    },
  }
}
