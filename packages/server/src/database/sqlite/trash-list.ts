import { folderRange } from '../../domain/asset-path.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { Rows } from '../account-data.ts'
import type { TrashedAsset, TrashQuery } from '../trash-data.ts'
import type { Filter } from './name-filter.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import { countFew, type LongReads, type Scan, scanList } from './scan.ts'
import type { Connection } from './statement.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const IN_TRASH = 'account_id = :account and trashed_at is not null'

const COLUMNS = `${ASSET_COLUMNS}, trashed_at`
type TrashRow = AssetRow & { trashed_at: number }

export function prepareTrashList(connection: Connection, longReads: LongReads) {
  function readPage(
    account: string,
    query: TrashQuery,
    { filter, total }: { filter: Filter; total: number },
  ): TrashRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [IN_TRASH, ...filter.conditions]
    if (after) conditions.push('(trashed_at, id) < (:after_time, :after_id)')
    const cursor = after && { after_time: after.value ?? 0, after_id: after.id }
    const page = connection.prepare<TrashRow>(
      `select ${COLUMNS} from assets where ${conditions.join(' and ')}
       order by ${isFromEnd ? 'trashed_at, id' : 'trashed_at desc, id desc'}
       limit +:limit offset :offset`,
    )
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(account: string, query: TrashQuery, filter: Filter): Promise<Rows<TrashRow>> {
    const { after } = query
    const list: Scan = {
      account,
      table: 'assets',
      index: 'assets_in_trash',
      own: IN_TRASH,
      order: ['trashed_at', 'id'],
      descending: true,
      filter,
      after: after && [after.value ?? 0, after.id],
    }
    return scanList(longReads, { scan: list, page: query, columns: COLUMNS })
  }

  return {
    async listTrash(account: string, query: TrashQuery): Promise<Rows<TrashedAsset>> {
      const filter = filterOf(query)
      const of = `select * from assets where ${IN_TRASH}`
      const total = countFew(connection, { account, table: 'assets', of, filter })
      const list =
        total === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(account, query, { filter, total }), total }
      const rows = list.rows.map((row) => ({
        ...toAsset(row),
        trashedAt: new Date(row.trashed_at),
      }))
      return { rows, total: list.total }
    },
  }
}

function filterOf({ name, kind, folder, words = [] }: TrashQuery): Filter {
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
