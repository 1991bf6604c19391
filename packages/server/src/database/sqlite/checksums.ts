import type { Integrity } from '../../domain/asset.ts'
import type { Connection } from './statement.ts'

interface ObjectOfChecksum {
  key: string
  bytes: number
  chunkSize: number
}

/** The rows of objects in `checksums`, in the caller's transaction. */
export function prepareChecksums({ prepare }: Connection) {
  const declare = prepare(
    `insert into checksums (object_key, bytes, chunk_size, sha256)
     values (:key, :bytes, :chunk_size, :sha256)`,
  )
  const add = prepare(
    `insert into checksums (object_key, bytes, chunk_size, queue, due_at)
     values (:key, :bytes, :chunk_size, 'new', :now)
     on conflict (object_key) do update set bytes = excluded.bytes, queue = 'new', due_at = :now,
       withheld_for = :withheld_for`,
  )
  const addRead = prepare(
    `insert into checksums
       (object_key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for, queue, due_at)
     values (:key, :bytes, :chunk_size, :sha256, :verified_at, :damaged, :withheld_for,
       iif(:withheld_for is null, 'backlog', 'new'), :now)
     on conflict (object_key) do update set sha256 = coalesce(sha256, excluded.sha256),
       verified_at = coalesce(excluded.verified_at, verified_at), damaged = excluded.damaged,
       withheld_for = iif(verified_at is null, excluded.withheld_for, null),
       due_at = iif(excluded.damaged = 1, excluded.due_at, due_at)`,
  )
  const remove = prepare('delete from checksums where object_key = :key')

  return {
    /** The client declared the digest of a file that it is going to upload. */
    declareChecksum({ key, bytes, chunkSize }: ObjectOfChecksum, sha256: string): void {
      declare.run({ key, bytes, chunk_size: chunkSize, sha256 })
    },

    /**
     * The object was created. Its bytes are read soon. If a digest was declared, downloads of the account
     * `withheldFor` do not get the object until its bytes have that digest.
     */
    queueChecksum({ key, bytes, chunkSize }: ObjectOfChecksum, withheldFor: string | null): void {
      const object = { key, bytes, chunk_size: chunkSize }
      add.run({ ...object, withheld_for: withheldFor, now: Date.now() })
    },

    /**
     * The object was copied from another deployment. Its bytes are compared with the digest that they had there. A
     * damaged one stays damaged until its bytes have that digest, and one that was withheld from downloads there is
     * withheld here, too.
     */
    importChecksum(
      account: string,
      { key, bytes, chunkSize }: ObjectOfChecksum,
      integrity: Integrity,
    ): void {
      const { sha256 } = integrity
      const verified_at = integrity.verifiedAt?.getTime() ?? null
      const damaged = Number(integrity.isDamaged)
      const withheld_for = integrity.isWithheld ? account : null
      const row = { key, bytes, chunk_size: chunkSize, sha256, verified_at, damaged, withheld_for }
      addRead.run({ ...row, now: Date.now() })
    },

    /** The object was removed. */
    removeChecksum(key: string): void {
      remove.run({ key })
    },
  }
}
