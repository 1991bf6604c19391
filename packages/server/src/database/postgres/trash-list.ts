import { folderRange } from '../../domain/asset-path.ts'
import type { TrashData, TrashQuery } from '../trash-data.ts'
import type { Sql } from './connection.ts'
import { type AssetRow, assetColumns, toAsset } from './rows.ts'
import { allOf, type Fragment, readPageWithTotal } from './statement.ts'

export function accountTrashList(sql: Sql, account: string): Pick<TrashData, 'listTrash'> {
  return {
    async listTrash(query) {
      const { page, perPage, after } = query
      const listed = allOf(sql, [
        sql`account_id = ${account} and trashed_at is not null`,
        ...filterOf(sql, query),
      ])
      const beforeCursor =
        after === undefined
          ? sql``
          : sql`and (trashed_at, id) < (${new Date(Number(after.value))}, ${after.id})`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<AssetRow & { trashed_at: Date }>(sql, {
        count: sql`select count(*) as total from assets where ${listed}`,
        page: sql`
          select ${assetColumns(sql)}, trashed_at from assets where ${listed} ${beforeCursor}
          order by trashed_at desc, id desc
          limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`trashed_at desc, id desc`,
      })
      return { rows: rows.map((row) => ({ ...toAsset(row), trashedAt: row.trashed_at })), total }
    },
  }
}

function filterOf(sql: Sql, { name, kind, folder, words = [] }: TrashQuery): Fragment[] {
  const conditions = words.map(
    (word) => sql`(strpos(search_name, ${word}) > 0 or strpos(search_path, ${word}) > 0)`,
  )
  if (name !== undefined) conditions.push(sql`strpos(search_name, ${name}) > 0`)
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (folder !== undefined) {
    const { from, until } = folderRange(folder)
    conditions.push(sql`folder >= ${from} and folder < ${until}`)
  }
  return conditions
}
