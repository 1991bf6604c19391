import type { SavedUpload, UploadStore } from './store.ts'

/** The part of IndexedDB that is used here: the types of browsers are not loaded. */
interface DbRequest<Result> {
  result: Result
  error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
  onupgradeneeded?: (() => void) | null
}

interface Objects {
  get(key: string): DbRequest<SavedUpload | undefined>
  getAll(): DbRequest<SavedUpload[]>
  put(saved: SavedUpload): DbRequest<unknown>
  delete(key: string): DbRequest<unknown>
}

interface Db {
  createObjectStore(name: string, options: { keyPath: string }): void
  transaction(name: string, mode: string): { objectStore(name: string): Objects }
}

const NAME = 'stowage'
const UPLOADS = 'uploads'

/** Stores the state of unfinished uploads in IndexedDB, to survive a reload. Without IndexedDB, every call rejects. */
export function openIndexedDbStore(): UploadStore {
  let opening: Promise<Db> | undefined

  async function open(): Promise<Db> {
    const { indexedDB } = globalThis as unknown as {
      indexedDB: { open(name: string, version: number): DbRequest<Db> }
    }
    const request = indexedDB.open(NAME, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(UPLOADS, { keyPath: 'key' })
    return resultOf(request)
  }

  async function run<Result>(query: (objects: Objects) => DbRequest<Result>) {
    opening ??= open()
    try {
      const db = await opening
      return await resultOf(query(db.transaction(UPLOADS, 'readwrite').objectStore(UPLOADS)))
    } catch (error) {
      // Browsers may close the database at any time. The next call opens it again.
      opening = undefined
      throw error
    }
  }

  return {
    get: (key) => run((objects) => objects.get(key)),
    list: () => run((objects) => objects.getAll()),
    set: (saved) => run((objects) => objects.put(saved)),
    delete: (key) => run((objects) => objects.delete(key)),
  }
}

function resultOf<Result>(request: DbRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
