import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestService } from './service.ts'

/** The keys of the objects that lie in the disk storage, and what it has not thrown away yet. */
export async function readObjects({ folder }: TestService): Promise<string[]> {
  const objects = join(folder, 'storage/objects')
  const shards = await readdir(objects)
  const keys = await Promise.all(shards.map((shard) => readdir(join(objects, shard))))
  return [...keys.flat(), ...(await readdir(join(folder, 'storage/trash')))].sort()
}

/** Takes the storage away, as when its disk is not mounted; the function that is returned puts it back. */
export async function takeStorageAway({ folder }: TestService): Promise<() => Promise<void>> {
  const uploads = join(folder, 'storage/uploads')
  await rename(uploads, `${uploads}-away`)
  return () => rename(`${uploads}-away`, uploads)
}
