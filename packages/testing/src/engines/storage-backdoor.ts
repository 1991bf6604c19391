import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadSession } from '@stowage/protocol'
import type { Context } from '@stowage/server/src/operations/context'
import type { StorageUpload } from '@stowage/server/src/storage/storage'

/** Direct access to the storage for tests, without the service, on any storage. */
export interface StorageBackdoor {
  /** The keys of all objects. On disk, also the names of folders that are being deleted. */
  readObjects(): Promise<string[]>
  /** Makes the storage unavailable. The returned function restores it. */
  makeUnavailable(): Promise<() => Promise<void>>
  /** Fails unless the storage holds exactly these objects: no open upload, no part, no other object. */
  assertHoldsOnly(objects: { id: string; bytes: number }[], chunkSize: number): Promise<void>
}

export function diskBackdoor(folder: string): StorageBackdoor {
  const storage = join(folder, 'storage')
  return {
    async readObjects() {
      const objects = join(storage, 'objects')
      const shards = await readdir(objects)
      const keys = await Promise.all(shards.map((shard) => readdir(join(objects, shard))))
      return [...keys.flat(), ...(await readdir(join(storage, 'trash')))].sort()
    },
    /** Simulates a disk that is not mounted. */
    async makeUnavailable() {
      const uploads = join(storage, 'uploads')
      await rename(uploads, `${uploads}-away`)
      return () => rename(`${uploads}-away`, uploads)
    },
    async assertHoldsOnly(objects, chunkSize) {
      assert.deepEqual(await readdir(join(storage, 'uploads')), [])
      assert.deepEqual(await readdir(join(storage, 'trash')), [])
      const files = await readdir(join(storage, 'objects'), { recursive: true })
      const expected = objects.flatMap(({ id, bytes }) => {
        const count = Math.max(1, Math.ceil(bytes / chunkSize))
        const numbers = Array.from({ length: count }, (_, index) => index + 1)
        return numbers.map((number) => join(id.slice(-2), id, String(number).padStart(5, '0')))
      })
      const folders = expected.map((path) => join(path, '..'))
      // The shard folders remain, even when they are empty.
      const found = files.filter((path) => !/^[0-9a-f]{2}$/.test(path))
      assert.deepEqual(found.toSorted(), [...new Set([...expected, ...folders])].toSorted())
    },
  }
}

/** A service with direct access to its storage. */
interface WithBackdoor {
  backdoor: StorageBackdoor
}

export function readObjects({ backdoor }: WithBackdoor): Promise<string[]> {
  return backdoor.readObjects()
}

export function makeStorageUnavailable({ backdoor }: WithBackdoor): Promise<() => Promise<void>> {
  return backdoor.makeUnavailable()
}

/** The storage's key and ID of a session's upload. */
export async function uploadInStorage(
  { context }: { context: Context },
  session: UploadSession,
): Promise<StorageUpload> {
  const account = await context.database.findAccount('default')
  const upload = await context.database.of(account?.id ?? '').findUpload(session.id)
  assert.ok(upload)
  return { key: session.id, id: upload.storageId }
}
