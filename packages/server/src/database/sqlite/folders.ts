import { type Folder, subfolderRange } from '../../domain/folder.ts'
import { folderRange, pathOfStored } from '../../domain/names.ts'
import { type FolderQuery, MAX_COUNTED_ASSETS } from '../folder-data.ts'
import { type FolderRow, toFolder } from '../shared/folders.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import type { LongReads } from './scan.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const LISTED = `account_id = :account and status = 'ready' and folder is not null
  and folder >= :from and folder < :until`

/** Paths that are compared in one turn of the event loop: about a millisecond. */
const PATHS_PER_STEP = 2_000

export function prepareFolderList({ prepare }: Connection, { runStep }: LongReads) {
  const next = prepare<{ folder: string }>(
    `select folder from assets where ${LISTED} order by folder limit 1`,
  )
  const describe = prepare<Omit<FolderRow, 'folder'>>(
    `select (select count(*) from (
         select 1 from assets where ${LISTED} limit ${MAX_COUNTED_ASSETS + 1})) as assets,
       exists (select 1 from assets where ${LISTED} and folder > :from) as has_folders`,
  )
  const nextPaths = prepare<{ folder: string; id: string; is_long: number }>(
    `select folder, id, length(folder) > :length
         and (status in ('uploading', 'completing', 'ready') or trashed_at is not null) as is_long
     from assets
     where account_id = :account and folder is not null and folder < :until
       and (folder, id) > (:from, :after_id)
     order by folder, id limit ${PATHS_PER_STEP}`,
  )

  /** The first subfolder after `after`. */
  function findNext(account: string, parent: string, after?: string): FolderRow | undefined {
    const found = next.get({ account, ...subfolderRange(parent, after) })?.folder
    if (found === undefined) return undefined
    const folder = found.slice(0, found.indexOf('/', parent.length) + 1)
    const described = describe.get({ account, ...folderRange(folder) })
    return { folder, assets: 0, has_folders: 0, ...described }
  }

  return {
    /** Each folder is a step, so that other requests are served meanwhile. */
    async listFolders(
      { account }: Writer,
      { folder, after, limit }: FolderQuery,
    ): Promise<Folder[]> {
      const rows: FolderRow[] = []
      for (let name = after; rows.length < limit; ) {
        const row = await runStep(account, () => findNext(account, folder, name))
        if (row === undefined) break
        rows.push(row)
        name = row.folder.slice(folder.length, -1)
      }
      return rows.map(toFolder)
    },

    async findLongPath(
      { account }: Writer,
      folder: string,
      maxLength: number,
    ): Promise<string | undefined> {
      const { from, until } = folderRange(folder)
      // A stored folder has one more character.
      const length = maxLength + 1
      for (let position = { from, after_id: '' }; ; ) {
        const rows = await runStep(account, () =>
          nextPaths.all({ account, until, length, ...position }),
        )
        const long = rows.find(({ is_long }) => is_long === 1)
        if (long !== undefined) return pathOfStored(long.folder) ?? undefined
        const last = rows.at(PATHS_PER_STEP - 1)
        if (last === undefined) return undefined
        position = { from: last.folder, after_id: last.id }
      }
    },
  }
}
