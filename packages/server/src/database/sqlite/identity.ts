import type { DatabaseIdentity } from '../database.ts'
import type { Connection } from './statement.ts'

interface IdentityRow {
  id: string
  storage_id: string | null
}

/** The ID of the database and of the storage that is bound to it. */
export function prepareIdentity({ prepare }: Connection) {
  const read = prepare<IdentityRow>('select id, storage_id from identity')
  const bind = prepare<IdentityRow>(
    'update identity set storage_id = coalesce(storage_id, :storage_id) returning id, storage_id',
  )
  const rebind = prepare('update identity set storage_id = :storage_id')
  return {
    readIdentity(): DatabaseIdentity {
      const row = read.get()
      if (row === undefined) throw new Error('the database has no identity')
      return { id: row.id, storageId: row.storage_id ?? undefined }
    },
    bindStorage: (storageId: string): string =>
      bind.get({ storage_id: storageId })?.storage_id ?? storageId,
    rebindStorage(storageId: string): void {
      rebind.run({ storage_id: storageId })
    },
  }
}
