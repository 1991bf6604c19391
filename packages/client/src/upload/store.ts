/** The saved state of an unfinished upload. */
export interface SavedUpload {
  /** Identifies the service and the file. */
  key: string
  /** Identifies the API key without revealing it; empty without one, and for upload tokens. */
  owner?: string | undefined
  /** The file name of the asset. */
  name: string
  /** In bytes. */
  size: number
  /** For a stream of unknown length, the bytes that were read: `size` is an estimate. */
  minSize?: number | undefined
  /** The media type; empty if unknown. */
  mime: string
  /** The folder that the file came from; undefined for none. */
  path?: string | undefined
  /** The declared SHA-256 of the file; undefined for none. */
  sha256?: string | undefined
  /** The size of the parts in bytes; undefined: the service chooses it. */
  chunkSize?: number | undefined
  /** Identifies the content of the file, for example by size and modification time. */
  version: string
  /**
   * Saved before the first request, so that a crash cannot create a second asset. Empty if the upload was
   * started elsewhere.
   */
  idempotencyKey: string
  /** The ID of the asset; undefined until the service has responded. */
  id?: string | undefined
  /** The ID of the asset that gets a new version; undefined for a new asset. */
  replaces?: string | undefined
  /** The upload ID of a replacement; undefined until the service has responded. */
  uploadId?: string | undefined
  /** The new name of the asset that is replaced; undefined: it keeps its name. */
  newName?: string | undefined
  /** The digests of the parts that were sent, by part number. */
  digests: Record<string, string>
  /** An ISO 8601 timestamp. */
  startedAt: string
}

/** Stores the state of unfinished uploads. An error here never fails an upload. */
export interface UploadStore {
  /** Returns the state with the key, if there is one. */
  get(key: string): Promise<SavedUpload | undefined>
  /** Stores the state under its key. Replaces an existing one. */
  set(saved: SavedUpload): Promise<unknown>
  /**
   * Stores the state unless there is one with its key; returns the stored one. If this method is omitted,
   * two processes that start to upload the same file at the same time create two assets.
   */
  add?(saved: SavedUpload): Promise<SavedUpload>
  /** Deletes the state with the key. An unknown key is not an error. */
  delete(key: string): Promise<unknown>
  /** Returns all states, of every service. */
  list(): Promise<SavedUpload[]>
}

export interface Saver {
  /** Writes the current state. Calls during a write share the next one. Never rejects. */
  save(): Promise<void>
  /** Waits until no write is running. */
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
