import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hmacOf } from '../../crypto/hmac.ts'
import { EngineUnavailable } from '../../domain/errors.ts'
import { type PartPlan, partsAtFault } from '../../domain/parts.ts'
import { hostInUrl } from '../../text/host-in-url.ts'
import type { CompletionOutcome, Storage, StorageUpload } from '../storage.ts'
import { diskContents, requireMounted } from './disk-contents.ts'
import { isMissing, makeFolderSync, moveNow, readFree, syncFolder } from './file-system.ts'
import {
  type Layout,
  layoutOf,
  objectFolder,
  objectShard,
  prepareFolders,
  reopenSealed,
  sealedFolder,
  uploadFolder,
} from './folders.ts'
import { type ListenerFailure, openListener } from './open-listener.ts'
import { readPartFiles } from './part-file.ts'
import { downloadUrl, partUrl } from './signed-url.ts'

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
  onFailure(failure: ListenerFailure): void
  /** Called when a download finds that the bytes of an object have changed, cannot be read or do not exist. */
  onDamage?(key: string): void
}

const MAX_PARTS = 10_000

/** Opens the storage in a folder and starts its listener. Only one process may have it open. */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const layout = layoutOf(options.directory)
  const secret = await prepareFolders(layout)
  const hmac = hmacOf(secret)
  const listener = await openListener({ ...options, secret })
  const withKey = serializeByKey()
  /** Calls for one key never overlap, so no completion runs here: a folder that is still sealed is reopened. */
  const withUpload = <Result>(upload: StorageUpload, work: () => Promise<Result>) =>
    withKey(upload.key, async () => {
      try {
        accessSync(layout.uploads, constants.W_OK)
        await reopenSealed(layout, upload)
        return await work()
      } catch (error) {
        throw new EngineUnavailable('storage', error)
      }
    })
  const url = options.url ?? `http://${hostInUrl(options.host)}:${listener.port}`

  const contents = diskContents(layout)

  return {
    ...contents,
    maxParts: MAX_PARTS,
    url,

    // The folder is created synchronously, which takes less time than handing the call to the thread pool.
    createUpload: (upload) =>
      withKey(upload.key, async () => {
        try {
          await reopenSealed(layout, upload)
          // A completed upload must not accept parts again.
          if (!existsSync(objectFolder(layout, upload.key))) {
            makeFolderSync(uploadFolder(layout, upload))
          }
          return upload.id
        } catch (error) {
          throw new EngineUnavailable('storage', error)
        }
      }),

    async signParts(upload, parts, expiresAt) {
      const urls = parts.map((part) => url + partUrl(hmac, upload, part, expiresAt))
      return { urls, expiresAt }
    },

    listParts: (upload) => withUpload(upload, () => readPartFiles(uploadFolder(layout, upload))),

    completeUpload: (upload, plan, parts) =>
      withUpload(upload, async () => {
        const outcome = await finishUpload(layout, upload, { plan, parts })
        if (outcome.outcome === 'completed') listener.endUpload(upload)
        return outcome
      }),

    abortUpload: (upload) =>
      withUpload(upload, async () => {
        await contents.abortUpload(upload)
        listener.endUpload(upload)
      }),
    closeUpload: (upload) =>
      withUpload(upload, async () => {
        await contents.closeUpload(upload)
        listener.endUpload(upload)
      }),
    findObject: (key) => withKey(key, () => contents.findObject(key)),
    removeObject: (key) => withKey(key, () => contents.removeObject(key)),

    async signDownload(object, expiresAt) {
      return { url: url + downloadUrl(hmac, object, expiresAt), expiresAt }
    },

    freeBytes: () =>
      requireMounted(layout, async () => {
        const free = await readFree(layout.uploads)
        return Math.max(0, free - options.reserve)
      }),

    isBusy: () => listener.isBusy(),

    check: () => requireMounted(layout, async () => listener.check()),

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

interface Expected {
  plan: PartPlan
  parts: { number: number; etag: string }[]
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
export async function finishUpload(
  layout: Layout,
  upload: StorageUpload,
  expected: Expected,
): Promise<CompletionOutcome> {
  const target = objectFolder(layout, upload.key)
  if (existsSync(target)) {
    // An earlier call may have been interrupted between its rename and the syncs.
    await syncObject(layout, target)
    return objectOutcome(target, expected.plan)
  }
  const source = uploadFolder(layout, upload)
  const sealed = sealedFolder(layout, upload)
  makeFolderSync(objectShard(layout, upload.key))
  try {
    await moveNow(source, sealed)
  } catch (error) {
    if (isMissing(error)) return { outcome: 'gone' }
    throw error
  }
  let isObject = false
  try {
    const received = (await readPartFiles(sealed)) ?? []
    const atFault = partsAtFault(received, expected.plan, expected.parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    await removeOtherFiles(sealed, expected.plan.count)
    await syncFolder(sealed)
    await moveNow(sealed, target)
    isObject = true
  } finally {
    if (!isObject) await moveNow(sealed, source)
  }
  await syncObject(layout, target)
  return { outcome: 'completed' }
}

/** Makes the rename from upload to object durable. */
async function syncObject(layout: Layout, target: string): Promise<void> {
  await Promise.all([dirname(target), layout.objects, layout.uploads].map(syncFolder))
}

async function objectOutcome(folder: string, plan: PartPlan): Promise<CompletionOutcome> {
  const received = (await readPartFiles(folder)) ?? []
  return { outcome: partsAtFault(received, plan, []).length === 0 ? 'completed' : 'gone' }
}

/** Removes parts that were in transfer when the folder was sealed. */
async function removeOtherFiles(folder: string, count: number): Promise<void> {
  for (const name of readdirSync(folder)) {
    const isPart = /^\d{5}$/.test(name) && Number(name) >= 1 && Number(name) <= count
    if (!isPart) await rm(join(folder, name), { force: true })
  }
}
