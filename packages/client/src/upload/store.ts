/** What is kept about an upload that is not finished. */
export interface SavedUpload {
  /** Of the service and the file. */
  key: string
  name: string
  size: number
  mime: string
  /** As its Source stands for the content. */
  version: string
  /** Saved before the service is asked, so that no crash makes a second asset. */
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
  set(saved: SavedUpload): Promise<void>
  delete(key: string): Promise<void>
  list(): Promise<SavedUpload[]>
}

/** Forgotten with the process or the page. */
export function openMemoryStore(): UploadStore {
  const kept = new Map<string, SavedUpload>()
  return {
    get: async (key) => kept.get(key),
    set: async (saved) => {
      kept.set(saved.key, saved)
    },
    delete: async (key) => {
      kept.delete(key)
    },
    list: async () => [...kept.values()],
  }
}
