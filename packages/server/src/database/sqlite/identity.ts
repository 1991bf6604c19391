import type { DatabaseIdentity } from '../database.ts'
import type { Connection } from './connection.ts'

interface IdentityRow {
  id: string
  storage_id: string | null
  unfinished_move: string | null
}

/** The ID of the database and of the storage that is bound to it. */
export function prepareIdentity({ prepare }: Connection) {
  const read = prepare<IdentityRow>('select id, storage_id, unfinished_move from identity')
  const bind = prepare<Pick<IdentityRow, 'storage_id'>>(
    'update identity set storage_id = coalesce(storage_id, :storage_id) returning storage_id',
  )
  const rebind = prepare('update identity set storage_id = :storage_id')
  const setMove = prepare('update identity set unfinished_move = :from')
  const keyId = prepare<{ secret_key_id: string | null }>('select secret_key_id from identity')
  const bindKey = prepare(
    'update identity set secret_key_id = :id where secret_key_id is :replaced',
  )
  const sealed = prepare(`select 1 from webhooks where secret like 'sealed:%' limit 1`)
  const newest = prepare<{ name: string }>(
    `select name from migrations where name not in (select value from json_each(:known))
     order by name desc limit 1`,
  )
  return {
    /** A migration that is not one of the known ones. */
    findNewerMigration: (known: string[]): string | undefined =>
      newest.get({ known: JSON.stringify(known) })?.name,
    readIdentity(): DatabaseIdentity {
      const row = read.get()
      if (row === undefined) throw new Error('the database has no identity')
      const { id, storage_id, unfinished_move } = row
      const unfinishedMove = unfinished_move ?? undefined
      return { id, storageId: storage_id ?? undefined, unfinishedMove }
    },
    bindStorage: (storageId: string): string =>
      bind.get({ storage_id: storageId })?.storage_id ?? storageId,
    rebindStorage(storageId: string): void {
      rebind.run({ storage_id: storageId })
    },
    readSecretKeyId: (): string | undefined => keyId.get()?.secret_key_id ?? undefined,
    bindSecretKey(id: string, replaced: string | undefined): string {
      bindKey.run({ id, replaced: replaced ?? null })
      return keyId.get()?.secret_key_id ?? id
    },
    hasSealedSecrets: (): boolean => sealed.get() !== undefined,
    setUnfinishedMove(from: string | undefined): void {
      setMove.run({ from: from ?? null })
    },
  }
}
