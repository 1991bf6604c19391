import type { Upload } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { Rows, UploadQuery } from '../account-data.ts'
import type { Filter } from './name-filter.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { countFew, type LongReads, type Scan, scanList } from './scan.ts'
import type { Connection } from './statement.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const UNFINISHED = `account_id = :account and status in ('uploading', 'completing')`

export function prepareUploadList(connection: Connection, longReads: LongReads) {
  function readPage(
    account: string,
    query: UploadQuery,
    { filter, total }: { filter: Filter; total: number },
  ): UploadRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [UNFINISHED, ...filter.conditions]
    if (after) conditions.push('id < :after')
    const page = connection.prepare<UploadRow>(
      `select ${UPLOAD_COLUMNS} from assets where ${conditions.join(' and ')}
       order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
    )
    const cursor = after && { after: after.id }
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(account: string, query: UploadQuery, filter: Filter): Promise<Rows<UploadRow>> {
    const list: Scan = {
      account,
      table: 'assets',
      index: 'assets_unfinished',
      own: UNFINISHED,
      order: ['id'],
      descending: true,
      filter,
      after: query.after && [query.after.id],
    }
    return scanList(longReads, { scan: list, page: query, columns: UPLOAD_COLUMNS })
  }

  return {
    async listUploads(account: string, query: UploadQuery): Promise<Rows<Upload>> {
      const { name } = query
      const filter: Filter =
        name === undefined
          ? { conditions: [], parameters: {} }
          : { conditions: ['instr(search_name, :name) > 0'], parameters: { name } }
      const of = `select * from assets where ${UNFINISHED}`
      const total = countFew(connection, { account, table: 'assets', of, filter })
      const { rows, total: all } =
        total === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(account, query, { filter, total }), total }
      return { rows: rows.map(toUpload), total: all }
    },
  }
}
