import type { AccountData } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { readPageWithTotal } from './statement.ts'

export function accountUploadList(sql: Sql, account: string): Pick<AccountData, 'listUploads'> {
  return {
    async listUploads({ name, after, page, perPage }) {
      const named = name === undefined ? sql`` : sql`and strpos(search_name, ${name}) > 0`
      const unfinished = sql`
        account_id = ${account} and status in ('uploading', 'completing') ${named}`
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<UploadRow>(sql, {
        count: sql`select count(*) as total from assets where ${unfinished}`,
        page: sql`
          select ${sql(UPLOAD_COLUMNS)} from assets where ${unfinished} ${beforeCursor}
          order by id desc limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`id desc`,
      })
      return { rows: rows.map(toUpload), total }
    },
  }
}
