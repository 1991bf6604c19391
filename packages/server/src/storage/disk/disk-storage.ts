import { accessSync, constants, existsSync } from 'node:fs'
import { hmacOf } from '../../crypto/hmac.ts'
import { EngineUnavailable } from '../../errors.ts'
import { hostInUrl } from '../../text/host-in-url.ts'
import type { Storage, StorageUpload } from '../storage.ts'
import { diskContents, requireMounted } from './disk-contents.ts'
import { makeFolderSync, readFree } from './file-system.ts'
import { finishUpload } from './finish-upload.ts'
import { layoutOf, objectFolder, uploadFolder } from './layout.ts'
import { type ListenerFailure, openListener } from './open-listener.ts'
import { readPartFiles } from './part-file.ts'
import { prepareFolders } from './prepare-folders.ts'
import { reopenSealed } from './reopen-sealed.ts'
import { downloadUrl, partUrl } from './signed-url.ts'

export interface DiskStorageOptions {
  directory: string
  host: string
  /** 0: any free port. */
  port: number
  /** The base URL for clients. Default: the listener's host and port. */
  url?: string
  /** How many bytes of the disk stay free. Parts that would need them are refused. */
  reserve: number
  /** Bypasses Node's HTTP parser for long bodies (see `fast-body/`). Default: true. */
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
