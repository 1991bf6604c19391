import type { AccountData } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'

export function accountUploadList(sql: Sql, account: string): Pick<AccountData, 'listUploads'> {
  return {
    async listUploads({ name, after, page, perPage }) {
      const named = name === undefined ? sql`` : sql`and strpos(search_name, ${name}) > 0`
      const unfinished = sql`
        account_id = ${account} and status in ('uploading', 'completing') ${named}`
      const total = sql`(select count(*) from assets where ${unfinished}) as total`
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const offset = after === undefined ? (page - 1) * perPage : 0
      // The page and the total are one statement: they match while uploads start and end.
      const rows = Number.isSafeInteger(offset)
        ? await sql<(UploadRow & { total: number })[]>`
            select ${sql(UPLOAD_COLUMNS)}, ${total} from assets where ${unfinished} ${beforeCursor}
            order by id desc limit ${perPage} offset ${offset}`
        : []
      const [row] = rows.length > 0 ? rows : await sql<{ total: number }[]>`select ${total}`
      return { rows: rows.map(toUpload), total: row?.total ?? 0 }
    },
  }
}
