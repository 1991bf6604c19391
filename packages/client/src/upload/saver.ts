import type { SavedUpload, UploadStore } from './store.ts'

export interface Saver {
  /** Writes what it says now; many calls at once make few writes. Never fails. */
  save(): Promise<void>
  forget(): Promise<void>
}

export function createSaver(store: UploadStore, saved: SavedUpload): Saver {
  let writing: Promise<void> | undefined
  let next: Promise<void> | undefined

  function write(): Promise<void> {
    const done = store.set(saved).catch(() => {})
    writing = done.then(() => {
      writing = undefined
    })
    return writing
  }

  function save(): Promise<void> {
    if (writing === undefined) return write()
    next ??= writing.then(() => {
      next = undefined
      return write()
    })
    return next
  }

  return {
    save,
    async forget() {
      while (writing !== undefined || next !== undefined) await (next ?? writing)
      await store.delete(saved.key).catch(() => {})
    },
  }
}
