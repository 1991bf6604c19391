import { createHash, randomBytes } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { devNull, homedir } from 'node:os'
import { join } from 'node:path'
import type { SavedUpload, UploadStore } from '../upload/store.ts'
import { makeFolder } from './make-folder.ts'

/** One small file per upload, readable by the user alone. */
export function openFileStore(folder: string = stateFolder()): UploadStore {
  const fileOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  async function read(path: string): Promise<SavedUpload | undefined> {
    try {
      return JSON.parse(await readFile(path, 'utf8'))
    } catch {
      return undefined
    }
  }

  async function write(saved: SavedUpload, place: typeof rename): Promise<true> {
    await makeFolder(folder)
    const path = fileOf(saved.key)
    const beside = `${path}.${randomBytes(4).toString('hex')}`
    try {
      await writeFile(beside, JSON.stringify(saved), { mode: 0o600 })
      await place(beside, path)
      return true
    } finally {
      // A full disk takes the name of a file, and none of its bytes.
      await rm(beside, { force: true })
    }
  }

  return {
    async get(key) {
      const saved = await read(fileOf(key))
      return saved?.key === key ? saved : undefined
    },
    /** Beside its place and then renamed: a crash leaves the old one or the new one. */
    set: (saved) => write(saved, rename),
    async add(saved) {
      const path = fileOf(saved.key)
      // Unlike a rename, a link takes nobody's place.
      const isFirst = await write(saved, link).catch(() => false)
      return (isFirst ? undefined : await read(path)) ?? saved
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

/** Where programs of this system keep what they must not forget. */
function stateFolder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const base =
    process.platform === 'win32' && LOCALAPPDATA
      ? LOCALAPPDATA
      : XDG_STATE_HOME || join(homeFolder(), '.local', 'state')
  return join(base, 'stowage', 'uploads')
}

/** Of users without a home, as containers have them, it is one in which nothing can be kept. */
function homeFolder(): string {
  try {
    return homedir() || devNull
  } catch {
    return devNull
  }
}
