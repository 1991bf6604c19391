import type { SavedUpload, UploadStore } from './store.ts'

/** As much of IndexedDB as we use: the types of browsers are not loaded here. */
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

/** In IndexedDB, so that uploads go on after a reload. Where there is none, every call rejects. */
export function openBrowserStore(): UploadStore {
  let opening: Promise<Db> | undefined

  async function open(): Promise<Db> {
    const { indexedDB } = globalThis as unknown as {
      indexedDB: { open(name: string, version: number): DbRequest<Db> }
    }
    const asked = indexedDB.open(NAME, 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore(UPLOADS, { keyPath: 'key' })
    return answerOf(asked)
  }

  async function ask<Result>(question: (objects: Objects) => DbRequest<Result>) {
    opening ??= open()
    try {
      const db = await opening
      return await answerOf(question(db.transaction(UPLOADS, 'readwrite').objectStore(UPLOADS)))
    } catch (error) {
      // Browsers close it when they like, and what is closed stays so: the next call opens it anew.
      opening = undefined
      throw error
    }
  }

  return {
    get: (key) => ask((objects) => objects.get(key)),
    list: () => ask((objects) => objects.getAll()),
    set: (saved) => ask((objects) => objects.put(saved)),
    delete: (key) => ask((objects) => objects.delete(key)),
  }
}

function answerOf<Result>(request: DbRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
