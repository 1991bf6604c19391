import { setTimeout as pause } from 'node:timers/promises'
import type { Upload } from '../../domain/asset.ts'
import { countReceived, type ReceivedParts } from '../../domain/received-parts.ts'
import { forEachLimited } from '../../iterables/for-each-limited.ts'
import { limitConcurrency } from '../../iterables/limit-concurrency.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './storage-upload-of.ts'

interface ReadLimits {
  /** The maximum number of concurrent calls to the storage, for all requests together. */
  concurrent?: number
  /** The maximum number of concurrent calls to the storage, for one request. */
  perRequest?: number
  timeLimitMs?: number
}

/**
 * Returns a function that reads which parts of uploads the storage has, by the ID of the asset. It asks
 * the storage once per upload, for a limited time, and stops asking after the first failure. Uploads without
 * a response are omitted.
 */
export function createReceivedReader(limits: ReadLimits = {}) {
  const { concurrent = 16, perRequest = 8, timeLimitMs = 2000 } = limits
  const inSlot = limitConcurrency(concurrent)

  return async (
    { storage, warn }: Pick<AccountContext, 'storage' | 'warn'>,
    uploads: Upload[],
  ): Promise<Map<string, ReceivedParts>> => {
    const received = new Map<string, ReceivedParts>()
    const end = new AbortController()
    const { signal } = end

    async function read(upload: Upload): Promise<void> {
      // The time limit may have passed when a slot becomes free.
      if (signal.aborted) return
      const stored = await storage.listParts(storageUploadOf(upload))
      // Storage that has lost the upload has no parts of it.
      if (!signal.aborted) received.set(upload.asset.id, countReceived(upload, stored ?? []))
    }

    const reading = forEachLimited(each(uploads), { limit: perRequest, signal }, (upload) =>
      inSlot(() => read(upload)),
    ).catch((error: unknown) => warn('could not read the parts of unfinished uploads', error))
    const timeout = pause(timeLimitMs, undefined, { signal }).catch(() => {})
    await Promise.race([reading, timeout])
    end.abort()
    return received
  }
}

async function* each<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items
}
