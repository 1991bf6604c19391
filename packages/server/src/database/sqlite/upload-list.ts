import type { Upload } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { Rows, UploadQuery } from '../account-data.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const UNFINISHED = `account_id = :account and status in ('uploading', 'completing')`

export function prepareUploadList({ prepare }: Connection) {
  return {
    listUploads(account: string, query: UploadQuery): Rows<Upload> {
      const { name, after } = query
      const filtered =
        name === undefined ? UNFINISHED : `${UNFINISHED} and instr(search_name, :name) > 0`
      const parameters = { account, ...(name !== undefined && { name }) }
      const count = prepare<{ total: number }>(
        `select count(*) as total from assets where ${filtered}`,
      )
      const total = count.get(parameters)?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const page = prepare<UploadRow>(
        `select ${UPLOAD_COLUMNS} from assets
         where ${filtered} ${after === undefined ? '' : 'and id < :after'}
         order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ ...parameters, ...cursor, limit, offset }).map(toUpload)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}
