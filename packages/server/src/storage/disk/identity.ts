import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatIdentity, parseIdentity, parseSecretKey } from '../identity-text.ts'
import type { StorageIdentity } from '../storage.ts'
import { hasCode, isMissing, syncFolder } from './file-system.ts'

/** Errors of file systems without hard links (exFAT, some network shares). */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

export async function readIdentityFile(path: string): Promise<StorageIdentity | undefined> {
  try {
    return parseIdentity(await readFile(path, 'utf8'), path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Atomic: an identity file that exists is kept. */
export async function createIdentityFile(
  path: string,
  databaseId: string,
): Promise<StorageIdentity> {
  const identity = newIdentity(databaseId)
  await createFile(path, formatIdentity(identity))
  return (await readIdentityFile(path)) ?? identity
}

export async function readSecretKeyFile(path: string): Promise<string | undefined> {
  try {
    return parseSecretKey(await readFile(path, 'utf8'), path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Atomic: a key file that exists is kept. */
export function createSecretKeyFile(path: string, key: string): Promise<void> {
  return createFile(path, `${key}\n`)
}

export async function replaceIdentityFile(
  path: string,
  databaseId: string,
): Promise<StorageIdentity> {
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
