/** What is kept about an upload that is not finished. */
export interface SavedUpload {
  /** Of the service and the file. */
  key: string
  name: string
  size: number
  mime: string
  /** How long its parts are to be; undefined: as the service has it. */
  chunkSize?: number | undefined
  /** As its Source stands for the content. */
  version: string
  /** Saved before the service is asked, so that no crash makes a second asset. Empty: begun elsewhere. */
  idempotencyKey: string
  /** The asset's id, once the service has answered. */
  id?: string | undefined
  /** The digest of each part that was sent, by its number. */
  digests: Record<string, string>
  /** ISO 8601 */
  startedAt: string
}

/** Where unfinished uploads are remembered. What fails here never fails an upload. */
export interface UploadStore {
  get(key: string): Promise<SavedUpload | undefined>
  set(saved: SavedUpload): Promise<unknown>
  /**
   * Keeps it, unless one of its key is there already; returns the one that is there. Left out: two
   * processes that begin to send a file in the same moment make two assets.
   */
  add?(saved: SavedUpload): Promise<SavedUpload>
  delete(key: string): Promise<unknown>
  list(): Promise<SavedUpload[]>
}

export interface Saver {
  /** Writes what it says now; many calls at once make few writes. Never fails. */
  save(): Promise<void>
  /** Waits until nothing is being written. */
  settled(): Promise<void>
  forget(): Promise<void>
}

export function createSaver(store: UploadStore, saved: SavedUpload): Saver {
  let isDirty = false
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (isDirty) {
      isDirty = false
      await store.set(saved).catch(() => {})
    }
    writing = undefined
  }

  return {
    save() {
      isDirty = true
      writing ??= write()
      return writing
    },
    async settled() {
      await writing
    },
    async forget() {
      await writing
      await store.delete(saved.key).catch(() => {})
    },
  }
}
