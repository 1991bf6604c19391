import { rowRangeOf } from '../../domain/paging.ts'
import type { AccountData } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'

export function accountUploadList(sql: Sql, account: string): Pick<AccountData, 'listUploads'> {
  return {
    async listUploads(query) {
      const { name, after } = query
      const named = name === undefined ? sql`` : sql`and strpos(search_name, ${name}) > 0`
      const unfinished = sql`
        account_id = ${account} and status in ('uploading', 'completing') ${named}`
      const [counted] = await sql<{ total: number }[]>`
        select count(*) as total from assets where ${unfinished}`
      const total = counted?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const rows = await sql<UploadRow[]>`
        select ${sql(UPLOAD_COLUMNS)} from assets where ${unfinished} ${beforeCursor}
        order by id ${isFromEnd ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`
      const uploads = rows.map(toUpload)
      return { rows: isFromEnd ? uploads.reverse() : uploads, total }
    },
  }
}
