import { existsSync } from 'node:fs'
import { hmacOf } from '../../crypto/hmac.ts'
import { EngineUnavailable } from '../../errors.ts'
import { hostInUrl } from '../../text/host-in-url.ts'
import type { Storage, StorageUpload } from '../storage.ts'
import { diskContents, whereMounted } from './disk-contents.ts'
import { makeFolderNow, readFree } from './file-system.ts'
import { finishUpload } from './finish-upload.ts'
import { layoutOf, objectFolder, uploadFolder } from './layout.ts'
import { type ListenerFailure, openListener } from './open-listener.ts'
import { prepareFolders } from './prepare-folders.ts'
import { reopenSealed } from './reopen-sealed.ts'
import { downloadUrl, partUrl } from './signed-url.ts'

export interface DiskStorageOptions {
  directory: string
  host: string
  /** 0 takes any free port. */
  port: number
  /** Where clients reach the listener, if not at its host and port. */
  url?: string
  /** How many bytes of the disk are to stay free: parts that would take them are refused. */
  reserve: number
  /** Reads long bodies past Node's HTTP parser (see `fast-body/`). Default: true. */
  fastBody?: boolean
  onFailure(failure: ListenerFailure): void
}

const MAX_PARTS = 10_000

/** Opens the storage in a folder and starts its listener. One process at a time may hold it. */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const layout = layoutOf(options.directory)
  const secret = await prepareFolders(layout)
  const hmac = hmacOf(secret)
  const listener = await openListener({ ...options, secret })
  const inSlot = oneAtATime()
  /** One call at a time for each key, so no completion runs: a seal that is left is taken back. */
  const withUpload = <Result>(upload: StorageUpload, work: () => Promise<Result>) =>
    inSlot(upload.key, () =>
      whereMounted(layout, async () => {
        await reopenSealed(layout, upload)
        return work()
      }),
    )
  const url = options.url ?? `http://${hostInUrl(options.host)}:${listener.port}`

  const contents = diskContents(layout)

  return {
    ...contents,
    maxParts: MAX_PARTS,
    url,

    // At once: a trip to another thread would take longer than the folder.
    createUpload: (upload) =>
      inSlot(upload.key, async () => {
        try {
          await reopenSealed(layout, upload)
          // What is complete takes no more parts, whoever asks late.
          if (!existsSync(objectFolder(layout, upload.key))) {
            makeFolderNow(uploadFolder(layout, upload))
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

    listParts: (upload) => withUpload(upload, () => contents.listParts(upload)),

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
    findObject: (key) => inSlot(key, () => contents.findObject(key)),
    removeObject: (key) => inSlot(key, () => contents.removeObject(key)),

    async signDownload(object, expiresAt) {
      return { url: url + downloadUrl(hmac, object, expiresAt), expiresAt }
    },

    freeBytes: () =>
      whereMounted(layout, async () => {
        const free = await readFree(layout.uploads)
        return Math.max(0, free - options.reserve)
      }),

    check: () => whereMounted(layout, async () => listener.check()),

    drain: () => listener.close(),
    close: () => listener.close(),
  }
}

/** Calls for one key wait for each other: a completion takes several steps that none may see half done. */
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
