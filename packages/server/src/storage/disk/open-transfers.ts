import type { StorageUpload } from '../storage.ts'
import type { PartGrant } from './signed-url.ts'

/** Why a transfer is ended before its last byte. */
export class TransferEnded extends Error {
  override readonly name = 'TransferEnded'
  readonly reason: 'replaced' | 'upload ended'

  constructor(reason: 'replaced' | 'upload ended') {
    super(reason)
    this.reason = reason
  }
}

export interface Transfer {
  /** Rejects with `TransferEnded` when it is to be given up. */
  ended: Promise<never>
  /** Whether the disk has room for it, beside its reserve and all other transfers. */
  hasRoom(): Promise<boolean>
  /** So many more bytes of it are on the disk. */
  took(bytes: number): void
  /** All of it is on the disk: nothing ends it any more. */
  isWhole(): void
  /** To be called once, when its file is in its place or gone. */
  leave(): void
}

export interface Transfers {
  /** Ends the transfer of the same part that is under way: a client that sends again has given it up. */
  begin(grant: PartGrant): Transfer
  /** Ends all transfers of the upload. */
  endUpload(upload: StorageUpload): void
}

interface Running {
  upload: string
  part: string
  missing: number
  isWhole: boolean
  end(error: TransferEnded): void
}

/** The parts that are under way. So the disk never holds more than the plans and its reserve allow. */
export function openTransfers(options: {
  reserve: number
  readFree: () => Promise<number>
}): Transfers {
  const running = new Set<Running>()
  const byPart = new Map<string, Running>()

  function endIf(transfer: Running | undefined, reason: TransferEnded['reason']): void {
    if (transfer !== undefined && !transfer.isWhole) transfer.end(new TransferEnded(reason))
  }

  return {
    begin({ upload, number, length }) {
      const { promise: ended, reject: end } = Promise.withResolvers<never>()
      // It may end when nobody looks.
      ended.catch(() => {})
      const name = nameOf(upload)
      const transfer: Running = {
        upload: name,
        part: `${name}/${number}`,
        missing: length,
        isWhole: false,
        end,
      }
      endIf(byPart.get(transfer.part), 'replaced')
      byPart.set(transfer.part, transfer)
      running.add(transfer)
      return {
        ended,
        async hasRoom() {
          const free = await options.readFree()
          const promised = running.values().reduce((sum, { missing }) => sum + missing, 0)
          return free - options.reserve > promised
        },
        took(bytes) {
          transfer.missing -= bytes
        },
        isWhole() {
          transfer.isWhole = true
        },
        leave() {
          running.delete(transfer)
          if (byPart.get(transfer.part) === transfer) byPart.delete(transfer.part)
        },
      }
    },

    endUpload(upload) {
      const name = nameOf(upload)
      for (const transfer of running) {
        if (transfer.upload === name) endIf(transfer, 'upload ended')
      }
    },
  }
}

function nameOf({ key, id }: StorageUpload): string {
  return `${key}.${id}`
}
