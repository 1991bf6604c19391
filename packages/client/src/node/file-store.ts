import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SavedUpload, UploadStore } from '../upload/store.ts'
import { readStateFile, removeFile, stateFolder, writePrivateFile } from './files.ts'

/** Stores the state of each unfinished upload in a small file that only the user can read. */
export function openFileStore(folder: string = stateFolder('uploads')): UploadStore {
  const fileOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  function read(path: string): SavedUpload | undefined {
    try {
      const text = readStateFile(path)
      return text === undefined ? undefined : JSON.parse(text)
    } catch {
      return undefined
    }
  }

  const write = (saved: SavedUpload, options?: { overwrite: boolean }) =>
    writePrivateFile(fileOf(saved.key), JSON.stringify(saved), options)

  async function addFile(saved: SavedUpload): Promise<SavedUpload> {
    try {
      await write(saved, { overwrite: false })
    } catch {
      const stored = read(fileOf(saved.key))
      if (stored !== undefined) return stored
      // The stored state is damaged, or this file system has no hard links.
      await write(saved)
    }
    return saved
  }

  /** States that were written by `add`. */
  const added = new WeakSet<SavedUpload>()

  return {
    async get(key) {
      const saved = read(fileOf(key))
      return saved?.key === key ? saved : undefined
    },
    async set(saved) {
      if (!added.has(saved) || hasNews(saved)) await write(saved)
    },
    async add(saved) {
      const stored = await addFile(saved)
      added.add(stored)
      return stored
    },
    delete: async (key) => removeFile(fileOf(key)),
    async list() {
      const names = await readdir(folder).catch(() => [])
      const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
      return paths.map(read).filter((one) => one !== undefined)
    },
  }
}

/** A file of this size is read and sent at once. */
const SMALL_SIZE = 1_000_000

/**
 * Whether the state has to be written again after `add`: it has a digest now, or an ID. The ID of a small file is written
 * with the digest of its first part. Nothing is sent before, and the idempotency key returns the same session.
 */
function hasNews({ size, id, digests }: SavedUpload): boolean {
  return Object.keys(digests).length > 0 || (id !== undefined && size > SMALL_SIZE)
}
