import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SavedUpload, UploadStore } from '../upload/store.ts'
import { stateFolder, writePrivateFile } from './files.ts'

/** Stores the state of each unfinished upload in a small file that only the user can read. */
export function openFileStore(folder: string = stateFolder('uploads')): UploadStore {
  const fileOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  async function read(path: string): Promise<SavedUpload | undefined> {
    try {
      return JSON.parse(await readFile(path, 'utf8'))
    } catch {
      return undefined
    }
  }

  const write = (saved: SavedUpload, options?: { overwrite: boolean }) =>
    writePrivateFile(fileOf(saved.key), JSON.stringify(saved), options)

  return {
    async get(key) {
      const saved = await read(fileOf(key))
      return saved?.key === key ? saved : undefined
    },
    set: (saved) => write(saved),
    async add(saved) {
      const isFirst = await write(saved, { overwrite: false }).then(
        () => true,
        () => false,
      )
      return (isFirst ? undefined : await read(fileOf(saved.key))) ?? saved
    },
    delete: (key) => rm(fileOf(key), { force: true }),
    async list() {
      const names = await readdir(folder).catch(() => [])
      const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
      const saved = await Promise.all(paths.map(read))
      return saved.filter((one) => one !== undefined)
    },
  }
}
