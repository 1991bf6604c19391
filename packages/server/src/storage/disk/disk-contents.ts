import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  access,
  constants,
  link,
  open,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAssetId } from '../../domain/asset.ts'
import { DamagedObject, EngineUnavailable } from '../../domain/errors.ts'
import { checkStored, formatIdentity, parseIdentity, parseSecretKey } from '../shared.ts'
import type { ObjectFacts, StorageContents, StorageIdentity } from '../storage.ts'
import { hasCode, isMissing, isReadError, syncFolder } from './file-system.ts'
import {
  discard,
  type Layout,
  layoutOf,
  objectFolder,
  parseUploadFolder,
  uploadFolder,
} from './folders.ts'
import { readPart, readPartFiles } from './part-file.ts'

/** Access to the storage's folder, even while another process serves it. */
export function diskContents(layout: Layout): StorageContents {
  const onDisk = <Result>(work: () => Promise<Result>) => requireMounted(layout, work)

  async function findObject(key: string): Promise<ObjectFacts | undefined> {
    const parts = await readPartFiles(objectFolder(layout, key))
    return parts && { key, size: parts.reduce((sum, { size }) => sum + size, 0) }
  }

  return {
    listParts: (upload) => onDisk(() => readPartFiles(uploadFolder(layout, upload))),
    abortUpload: (upload) => onDisk(() => discard(layout, uploadFolder(layout, upload))),
    // The object has its own folder, so that discarding the upload does not affect it.
    closeUpload: (upload) =>
      onDisk(async () => {
        const parts = await readPartFiles(uploadFolder(layout, upload))
        if (parts === undefined) return
        checkStored(await findObject(upload.key), parts)
        await discard(layout, uploadFolder(layout, upload))
      }),
    async *readPart(object, number, options) {
      try {
        yield* readPart(layout, object, number, options)
      } catch (error) {
        // If the disk is not mounted or not accessible, that is an outage, and the object counts as intact.
        if (error instanceof DamagedObject) {
          await onDisk(() => access(layout.objects, constants.R_OK | constants.X_OK))
        }
        throw error
      }
    },
    findObject: (key) => onDisk(() => findObject(key)),

    async *listObjects() {
      for (const key of await onDisk(() => listKeys(layout))) {
        const object = await onDisk(() =>
          findObject(key).catch((error) => orUnreadable(error, key)),
        )
        if (object !== undefined) yield object
      }
    },

    readPartSize: (key) =>
      onDisk(async () => {
        const [first, second] = (await readPartFiles(objectFolder(layout, key))) ?? []
        return second && first?.size
      }),
    describeObject: (key) => objectFolder(layout, key),
    removeObject: (key) => onDisk(() => discard(layout, objectFolder(layout, key))),
    // Removed objects are gone.
    recoverObject: async (key, size) => (await onDisk(() => findObject(key)))?.size === size,

    async *listUploads(key) {
      for await (const { name } of await onDisk(() => opendir(layout.uploads))) {
        const upload = parseUploadFolder(name)
        if (key !== undefined && upload?.key !== key) continue
        const folder = upload && (await findFolder(uploadFolder(layout, upload)))
        if (upload && folder) yield { ...upload, openedAt: folder.birthtime }
      }
    },

    readIdentity: () => onDisk(() => readIdentityFile(layout.identity)),
    createIdentity: (databaseId) => onDisk(() => createIdentityFile(layout.identity, databaseId)),
    readSecretKey: () => onDisk(() => readSecretKeyFile(layout.secretKey)),
    createSecretKey: (key) => onDisk(() => createSecretKeyFile(layout.secretKey, key)),
    replaceIdentity: (databaseId) => onDisk(() => replaceIdentityFile(layout.identity, databaseId)),
  }
}

export function diskContentsIn(directory: string): StorageContents {
  return diskContents(layoutOf(directory))
}

/**
 * Throws `EngineUnavailable` if the work fails, or if the storage's folder is missing or not writable: if its disk is
 * not mounted, objects must not be reported as missing.
 */
export async function requireMounted<Result>(
  layout: Layout,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await access(layout.uploads, constants.W_OK)
    return await work()
  } catch (error) {
    throw new EngineUnavailable('storage', error)
  }
}

/** One object that the disk cannot read must not hide all others. */
function orUnreadable(error: unknown, key: string): ObjectFacts {
  if (!isReadError(error)) throw error
  return { key, size: 0, problem: `the disk cannot read it: ${error}` }
}

/** Returns the sorted keys. The folders are in another order: each is named after the last characters of its keys. */
async function listKeys(layout: Layout): Promise<string[]> {
  const keys: string[] = []
  for (const shard of await readdir(layout.objects, { withFileTypes: true })) {
    if (!shard.isDirectory()) continue
    for (const key of await readdir(join(layout.objects, shard.name))) {
      // Ignores files that other programs have created.
      if (isAssetId(key)) keys.push(key)
    }
  }
  return keys.sort()
}

/** Returns undefined if the folder was removed in the meantime. */
async function findFolder(folder: string) {
  try {
    return await stat(folder)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Errors of file systems without hard links (exFAT, some network shares). */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

async function readIdentityFile(path: string): Promise<StorageIdentity | undefined> {
  try {
    return parseIdentity(await readFile(path, 'utf8'), path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Atomic: an identity file that exists is kept. */
async function createIdentityFile(path: string, databaseId: string): Promise<StorageIdentity> {
  const identity = newIdentity(databaseId)
  await createFile(path, formatIdentity(identity))
  return (await readIdentityFile(path)) ?? identity
}

async function readSecretKeyFile(path: string): Promise<string | undefined> {
  try {
    return parseSecretKey(await readFile(path, 'utf8'), path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Atomic: a key file that exists is kept. */
function createSecretKeyFile(path: string, key: string): Promise<void> {
  return createFile(path, `${key}\n`)
}

async function replaceIdentityFile(path: string, databaseId: string): Promise<StorageIdentity> {
  const identity = newIdentity(databaseId)
  await writePrivateFile(path, formatIdentity(identity), (written) => rename(written, path))
  return identity
}

/** The ID is random, as folders on two machines may have the same path. */
function newIdentity(databaseId: string): StorageIdentity {
  return { databaseId, storageId: randomBytes(16).toString('hex') }
}

/** Atomic: a file that exists is kept. */
function createFile(path: string, text: string): Promise<void> {
  return writePrivateFile(path, text, async (written) => {
    try {
      // Unlike a rename, a link does not replace an existing file.
      await link(written, path)
    } catch (error) {
      if (hasCode(error, ...NO_LINKS) && !existsSync(path)) await rename(written, path)
      else if (!hasCode(error, 'EEXIST', ...NO_LINKS)) throw error
    } finally {
      await rm(written, { force: true })
    }
  })
}

async function writePrivateFile(
  path: string,
  text: string,
  moveIntoPlace: (written: string) => Promise<void>,
): Promise<void> {
  const written = `${path}.${randomBytes(8).toString('hex')}`
  const file = await open(written, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await moveIntoPlace(written)
  await syncFolder(dirname(path))
}
