import { folderRange } from '../../domain/asset-path.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { Rows } from '../account-data.ts'
import type { TrashedAsset, TrashQuery } from '../trash-data.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import type { Connection } from './statement.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const IN_TRASH = 'account_id = :account and trashed_at is not null'

export function prepareTrashList({ prepare }: Connection) {
  return {
    listTrash(account: string, query: TrashQuery): Rows<TrashedAsset> {
      const filter = filterOf(query)
      const conditions = [IN_TRASH, ...filter.conditions]
      const parameters = { account, ...filter.parameters }
      const count = prepare<{ total: number }>(
        `select count(*) as total from assets where ${conditions.join(' and ')}`,
      )
      const total = count.get(parameters)?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const { after } = query
      if (after) conditions.push('(trashed_at, id) < (:after_time, :after_id)')
      const cursor = after && { after_time: after.value ?? 0, after_id: after.id }
      const page = prepare<AssetRow & { trashed_at: number }>(
        `select ${ASSET_COLUMNS}, trashed_at from assets where ${conditions.join(' and ')}
         order by ${isFromEnd ? 'trashed_at, id' : 'trashed_at desc, id desc'}
         limit +:limit offset :offset`,
      )
      const rows = page
        .all({ ...parameters, ...cursor, limit, offset })
        .map((row) => ({ ...toAsset(row), trashedAt: new Date(row.trashed_at) }))
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}

function filterOf({ name, kind, folder, words = [] }: TrashQuery) {
  const conditions = words.map(
    (_, index) =>
      `(instr(search_name, :word${index}) > 0 or instr(search_path, :word${index}) > 0)`,
  )
  const parameters: Record<string, string> = {}
  for (const [index, word] of words.entries()) parameters[`word${index}`] = word
  if (name !== undefined) {
    conditions.push('instr(search_name, :name) > 0')
    parameters.name = name
  }
  if (kind !== undefined) {
    conditions.push('kind = :kind')
    parameters.kind = kind
  }
  if (folder !== undefined) {
    // The plus keeps SQLite from using the index of folders.
    conditions.push('+folder >= :folder_from', '+folder < :folder_until')
    const { from, until } = folderRange(folder)
    Object.assign(parameters, { folder_from: from, folder_until: until })
  }
  return { conditions, parameters }
}
