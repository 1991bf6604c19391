import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAssetId } from '../../domain/asset.ts'
import { DamagedObject, EngineUnavailable } from '../../domain/errors.ts'
import { type PartPlan, partLength, partRanges } from '../../domain/parts.ts'
import type { ObjectPool, PooledObject } from '../object-pool.ts'
import type { StorageContents } from '../storage.ts'
import { hasCode, isMissing, move, syncFolder } from './file-system.ts'
import { discard, type Layout, layoutOf, objectFolder, partFile } from './folders.ts'
import { openGmac, partFooter, readPart, readPartFiles } from './part-file.ts'

/** The file with the SHA-256 of an object, next to its parts. */
const DIGEST = 'sha256'

/** File systems that cannot link these files: another disk, no hard links, or too many of them. */
const CANNOT_LINK = [
  'EXDEV',
  'EPERM',
  'EACCES',
  'EMLINK',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
]

/**
 * Opens the pool in this folder:
 *
 *     objects/<xx>/<key>/    whole objects, as in the disk storage, and the file `sha256`
 *     incoming/<xx>/<key>/   objects that are being copied
 *     trash/                 folders that are being deleted
 *
 * With `isReadOnly`, nothing is created.
 */
export async function openObjectPool(
  root: string,
  { isReadOnly = false } = {},
): Promise<ObjectPool> {
  const layout = layoutOf(root)
  const incoming = { ...layout, objects: join(root, 'incoming') }
  if (!isReadOnly) {
    await rm(layout.trash, { recursive: true, force: true })
    for (const folder of [layout.objects, incoming.objects, layout.trash]) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    }
  }
  let canLink = true

  async function readMounted(
    object: { key: string; plan: PartPlan },
    error: unknown,
  ): Promise<never> {
    if (!(error instanceof DamagedObject)) throw error
    await access(layout.objects, constants.R_OK | constants.X_OK).catch((cause: unknown) => {
      throw new EngineUnavailable('storage', cause)
    })
    if (existsSync(objectFolder(layout, object.key))) throw error
    throw new DamagedObject(`the backup does not contain the object ${object.key}`)
  }

  async function add(
    object: PooledObject,
    source: Parameters<ObjectPool['add']>[1],
  ): Promise<{ sha256: string; isLinked: boolean }> {
    const { key, plan } = object
    const folder = objectFolder(incoming, key)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const isLinked =
      source.folder !== undefined && canLink && (await tryLink(source.folder, folder, plan))
    const isKnown = isLinked && object.sha256 !== undefined
    const sha256 =
      isKnown && object.sha256 ? object.sha256 : await copyParts(incoming, object, source)
    if (object.sha256 !== undefined && sha256 !== object.sha256) {
      await rm(folder, { recursive: true, force: true })
      throw new DamagedObject(`the SHA-256 of the object ${key} is not the one that is recorded`)
    }
    await writeSynced(join(folder, DIGEST), sha256)
    await syncFolder(folder)
    const target = objectFolder(layout, key)
    const isNew = await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    if (isNew !== undefined) await syncFolder(layout.objects)
    // Parts of the object in the pool were lost.
    if (existsSync(target)) await discard(layout, target)
    await move(folder, target)
    await syncFolder(dirname(target))
    return { sha256, isLinked }
  }

  async function tryLink(from: string, to: string, plan: PartPlan): Promise<boolean> {
    try {
      for (const { number } of partRanges(plan)) {
        await link(partFile(from, number), partFile(to, number)).catch(ignoreExisting)
      }
      return hasAllParts(to, plan)
    } catch (error) {
      if (hasCode(error, ...CANNOT_LINK)) canLink = false
      else if (!isMissing(error)) throw error
      return false
    }
  }

  return {
    contents: {
      async *readPart(object, number, options) {
        try {
          yield* readPart(layout, object, number, options)
        } catch (error) {
          await readMounted(object, error)
        }
      },
    },

    async find(key) {
      const folder = objectFolder(layout, key)
      try {
        const sha256 = await readFile(join(folder, DIGEST), 'utf8')
        const parts = (await readPartFiles(folder)) ?? []
        return { sha256, size: parts.reduce((sum, { size }) => sum + size, 0) }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    async add(object, source) {
      try {
        return await add(object, source)
      } catch (error) {
        if (!(error instanceof DamagedObject)) throw error
        // A part that an interrupted call has copied may be damaged, instead of the object.
        await rm(objectFolder(incoming, object.key), { recursive: true, force: true })
        return add(object, source)
      }
    },

    async listKeys() {
      const keys: string[] = []
      for (const shard of await readdir(layout.objects)) {
        keys.push(...(await readdir(join(layout.objects, shard))).filter(isAssetId))
      }
      return keys.sort()
    },

    remove: (key) => discard(layout, objectFolder(layout, key)),
  }
}

function ignoreExisting(error: unknown): void {
  if (!hasCode(error, 'EEXIST')) throw error
}

async function hasAllParts(folder: string, plan: PartPlan): Promise<boolean> {
  const sizes = new Map((await readPartFiles(folder))?.map(({ number, size }) => [number, size]))
  return partRanges(plan).every((range) => sizes.get(range.number) === partLength(range))
}

/** Copies the parts that the folder does not have, and returns the SHA-256 of all. */
async function copyParts(
  layout: Layout,
  { key, plan }: PooledObject,
  { contents }: { contents: Pick<StorageContents, 'readPart'> },
): Promise<string> {
  const folder = objectFolder(layout, key)
  const sizes = new Map((await readPartFiles(folder))?.map(({ number, size }) => [number, size]))
  const hash = createHash('sha256')
  for (const range of partRanges(plan)) {
    const { number } = range
    const isPresent = sizes.get(number) === partLength(range)
    if (isPresent) {
      for await (const bytes of readPart(layout, { key, plan }, number, { reuseBuffer: true })) {
        hash.update(bytes)
      }
      continue
    }
    const bytes = contents.readPart({ key, plan }, number, { reuseBuffer: true })
    await writePart(partFile(folder, number), bytes, (chunk) => hash.update(chunk))
  }
  return hash.digest('hex')
}

async function writePart(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (bytes: Uint8Array) => void,
): Promise<void> {
  const written = `${path}.new`
  const file = await open(written, 'w', 0o600)
  try {
    const digest = openGmac()
    for await (const bytes of chunks) {
      digest.update(bytes)
      onChunk(bytes)
      await file.writeFile(bytes)
    }
    await file.writeFile(partFooter(digest.end()))
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(written, path)
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
