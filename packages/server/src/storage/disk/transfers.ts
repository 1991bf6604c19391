import type { StorageUpload } from '../storage.ts'
import { uploadName } from './folders.ts'
import type { PartGrant } from './signed-url.ts'

/** The reason why a transfer is aborted. */
export class TransferAborted extends Error {
  override readonly name = 'TransferAborted'
  readonly reason: 'replaced' | 'upload ended'

  constructor(reason: 'replaced' | 'upload ended') {
    super(reason)
    this.reason = reason
  }
}

export interface Transfer {
  /** Rejects with `TransferAborted` when the transfer must be aborted. */
  aborted: Promise<never>
  /** Resolves when the earlier transfers of the same part are closed. Wait for it before the part is moved into place. */
  earlierClosed: Promise<unknown> | undefined
  /** Whether the disk has space for it, in addition to the reserve and all other transfers. */
  hasSpace(): Promise<boolean>
  /** Counts bytes that were written, and need no more space. */
  addWritten(bytes: number): void
  /** After this call, the transfer is not aborted. */
  markComplete(): void
  /** Moves the part into place. If that succeeds, the part is not synced until `markSynced` is called. */
  moveIntoPlace(move: () => Promise<void>): Promise<void>
  markSynced(): void
  /** Call it once, when the file has been moved into place or removed. */
  close(): void
}

export interface Transfers {
  /** Aborts a running transfer of the same part: a client that sends a part again has given up the earlier transfer. */
  begin(grant: PartGrant): Transfer
  /** Aborts all transfers of the upload. */
  endUpload(upload: StorageUpload): void
}

interface Running {
  upload: string
  part: string
  remaining: number
  isComplete: boolean
  /** Resolves when this transfer and the earlier ones of the same part are closed. */
  allClosed: Promise<unknown>
  abort(error: TransferAborted): void
}

/** Tracks running transfers, so that together they never use the disk's reserve. */
export function openTransfers(options: {
  reserve: number
  /** Returns how many bytes the disk has free. May be a recent result if far more than `needed` were free then. */
  readFree: (needed: number) => Promise<number>
  activity: Activity
}): Transfers {
  const running = new Set<Running>()
  const byPart = new Map<string, Running>()

  function neededBytes(): number {
    return running.values().reduce((sum, { remaining }) => sum + remaining, options.reserve)
  }

  function abort(transfer: Running | undefined, reason: TransferAborted['reason']): void {
    if (transfer !== undefined && !transfer.isComplete) transfer.abort(new TransferAborted(reason))
  }

  return {
    begin({ upload, number, length }) {
      const { promise: aborted, reject: abortTransfer } = Promise.withResolvers<never>()
      // It may reject while nothing awaits it.
      aborted.catch(() => {})
      const name = uploadName(upload)
      const part = `${name}/${number}`
      const earlier = byPart.get(part)
      const { promise: closed, resolve: setClosed } = Promise.withResolvers<void>()
      const transfer: Running = {
        upload: name,
        part,
        remaining: length,
        isComplete: false,
        allClosed: earlier === undefined ? closed : Promise.all([earlier.allClosed, closed]),
        abort: abortTransfer,
      }
      abort(earlier, 'replaced')
      byPart.set(transfer.part, transfer)
      running.add(transfer)
      options.activity.add(upload)
      let isSynced = true
      return {
        aborted,
        earlierClosed: earlier?.allClosed,
        async hasSpace() {
          const free = await options.readFree(neededBytes())
          return free > neededBytes()
        },
        addWritten(bytes) {
          transfer.remaining -= bytes
        },
        markComplete() {
          transfer.isComplete = true
        },
        async moveIntoPlace(move) {
          isSynced = false
          try {
            await move()
          } catch (error) {
            isSynced = true
            throw error
          }
        },
        markSynced() {
          isSynced = true
        },
        close() {
          // After a failed sync, the upload stays active, so that its completion syncs the part.
          if (isSynced) options.activity.remove(upload)
          setClosed()
          running.delete(transfer)
          if (byPart.get(transfer.part) === transfer) byPart.delete(transfer.part)
        },
      }
    },

    endUpload(upload) {
      const name = uploadName(upload)
      for (const transfer of running) {
        if (transfer.upload === name) abort(transfer, 'upload ended')
      }
    },
  }
}

/** Which uploads have transfers. The listener counts them, and its owner reads the counters, which both threads share. */
export interface Activity {
  add(upload: StorageUpload): void
  remove(upload: StorageUpload): void
  /**
   * If it is false, no transfer of the upload is running, and every part that is in place is synced. Uploads share
   * counters, so it may be true because of another upload.
   */
  hasAny(upload: StorageUpload): boolean
}

const COUNTERS = 4096

export function newCounters(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT))
}

export function openActivity(counters: Int32Array<SharedArrayBuffer>): Activity {
  // The end of a key is random.
  const indexOf = ({ key }: StorageUpload) => Number.parseInt(key.slice(-3), 16) & (COUNTERS - 1)
  return {
    add: (upload) => void Atomics.add(counters, indexOf(upload), 1),
    remove: (upload) => void Atomics.sub(counters, indexOf(upload), 1),
    hasAny: (upload) => Atomics.load(counters, indexOf(upload)) > 0,
  }
}
