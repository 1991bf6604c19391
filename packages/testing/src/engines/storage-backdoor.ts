import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadSession } from '@stowage/protocol'
import type { StorageUpload } from '@stowage/server/src/storage/storage'
import type { TestService } from '../service/service.ts'

/** What a test can see and do behind the service's back, whatever the storage is. */
export interface StorageBackdoor {
  /** The keys of all objects, also of those that are not thrown away yet. */
  readObjects(): Promise<string[]>
  /** Takes the storage away; the function that is returned puts it back. */
  takeAway(): Promise<() => Promise<void>>
  /** Fails unless these are all that there is: no open upload, no part, no other object. */
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
    /** As when its disk is not mounted. */
    async takeAway() {
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
      // The folders that objects are spread over stay, with or without any in them.
      const found = files.filter((path) => !/^[0-9a-f]{2}$/.test(path))
      assert.deepEqual(found.toSorted(), [...new Set([...expected, ...folders])].toSorted())
    },
  }
}

export function readObjects({ backdoor }: TestService): Promise<string[]> {
  return backdoor.readObjects()
}

export function takeStorageAway({ backdoor }: TestService): Promise<() => Promise<void>> {
  return backdoor.takeAway()
}

/** What the storage calls the upload of a session. */
export async function uploadInStorage(
  { context }: TestService,
  session: UploadSession,
): Promise<StorageUpload> {
  const account = await context.database.findAccount('default')
  const upload = await context.database.of(account?.id ?? '').findUpload(session.id)
  assert.ok(upload)
  return { key: session.id, id: upload.storageId }
}
