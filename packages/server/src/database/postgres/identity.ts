import type { Database } from '../database.ts'
import type { Sql } from './connection.ts'

interface IdentityRow {
  id: string
  storage_id: string | null
  unfinished_move: string | null
}

type Identity = Pick<
  Database,
  | 'readIdentity'
  | 'bindStorage'
  | 'rebindStorage'
  | 'setUnfinishedMove'
  | 'readSecretKeyId'
  | 'bindSecretKey'
  | 'hasSealedSecrets'
>

/** The ID of the database and of the storage that is bound to it. */
export function globalIdentity(sql: Sql): Identity & {
  /** A migration that is not one of the known ones. */
  findNewerMigration(known: string[]): Promise<string | undefined>
} {
  async function readSecretKeyId(): Promise<string | undefined> {
    const [row] = await sql<{ secret_key_id: string | null }[]>`select secret_key_id from identity`
    return row?.secret_key_id ?? undefined
  }

  return {
    readSecretKeyId,
    async bindSecretKey(id, replaced) {
      await sql`
        update identity set secret_key_id = ${id}
        where secret_key_id is not distinct from ${replaced ?? null}::text`
      return (await readSecretKeyId()) ?? id
    },
    async hasSealedSecrets() {
      const rows = await sql`select from webhooks where secret like 'sealed:%' limit 1`
      return rows.length > 0
    },
    async findNewerMigration(known) {
      const [row] = await sql<{ name: string }[]>`
        select name from migrations where name <> all(${known}::text[])
        order by name desc limit 1`
      return row?.name
    },
    async readIdentity() {
      const [row] = await sql<IdentityRow[]>`
        select id, storage_id, unfinished_move from identity`
      if (row === undefined) throw new Error('the database has no identity')
      const { id, storage_id, unfinished_move } = row
      const unfinishedMove = unfinished_move ?? undefined
      return { id, storageId: storage_id ?? undefined, unfinishedMove }
    },
    async bindStorage(storageId) {
      const [row] = await sql<Pick<IdentityRow, 'storage_id'>[]>`
        update identity set storage_id = coalesce(storage_id, ${storageId})
        returning storage_id`
      return row?.storage_id ?? storageId
    },
    async rebindStorage(storageId) {
      await sql`update identity set storage_id = ${storageId}`
    },
    async setUnfinishedMove(from) {
      await sql`update identity set unfinished_move = ${from ?? null}`
    },
  }
}
