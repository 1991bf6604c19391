import type { Database } from '../database.ts'
import type { Sql } from './connection.ts'

interface IdentityRow {
  id: string
  storage_id: string | null
}

type Identity = Pick<Database, 'readIdentity' | 'bindStorage' | 'rebindStorage'>

/** The ID of the database and of the storage that is bound to it. */
export function globalIdentity(sql: Sql): Identity {
  return {
    async readIdentity() {
      const [row] = await sql<IdentityRow[]>`select id, storage_id from identity`
      if (row === undefined) throw new Error('the database has no identity')
      return { id: row.id, storageId: row.storage_id ?? undefined }
    },
    async bindStorage(storageId) {
      const [row] = await sql<IdentityRow[]>`
        update identity set storage_id = coalesce(storage_id, ${storageId})
        returning id, storage_id`
      return row?.storage_id ?? storageId
    },
    async rebindStorage(storageId) {
      await sql`update identity set storage_id = ${storageId}`
    },
  }
}
