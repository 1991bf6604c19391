import type { ListedUpload } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { fullName } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { formatMinute, tableWidth, writeList } from '../output.ts'
import { type Column, table } from '../terminal/table.ts'
import { type Command, omitUndefined, readLimit, readName, readOptions } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
} as const

export const uploads: Command = {
  help: `stowage uploads: list unfinished uploads, newest first

Usage:
  stowage uploads [NAME] [--limit N | --all]

  NAME          a part of the name, case-insensitive
  -n, --limit   the maximum number of uploads (default: 25)
  --all         all uploads
${CONNECTION_HELP}
  --json        a JSON array of uploads

Lists the uploads of the account, wherever they were started. STARTED BY is the name of the API
key, or “upload token of” and the name of the API key that created the token. At the time in
EXPIRES (UTC), the service removes the upload, unless it is resumed or receives a part before then.
To resume an upload that was started on this machine, run the same stowage upload command again. To
discard one, use stowage cancel.

Examples:
  stowage uploads
  stowage uploads --all --json | jq -r '.[] | [.id, .received_bytes, .bytes] | @tsv'
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { json = false } = values
    const limit = readLimit(values)
    const query = { filename: readName(positionals) }
    return withClient(values, async (client) => {
      const list = (pageSize: number) =>
        client.uploads(omitUndefined({ ...query, limit: pageSize }))
      await writeList<ListedUpload>(list, { limit, json, text: uploadTable })
      return 0
    })
  },
}

const COLUMNS: Column[] = [
  { head: 'ID', dropOrder: 2 },
  { head: 'NAME', minWidth: 16 },
  { head: 'RECEIVED', align: 'right' },
  { head: 'SIZE', align: 'right' },
  { head: 'STARTED BY', minWidth: 10, dropOrder: 3 },
  { head: 'STARTED', dropOrder: 4 },
  { head: 'EXPIRES', dropOrder: 1 },
]

function uploadTable(uploads: ListedUpload[]): string {
  return table(
    COLUMNS,
    uploads.map(
      ({ id, received_bytes, bytes, started_by, created_at, upload_expires_at, ...file }) => [
        id,
        fullName(file),
        received_bytes === null ? 'unknown' : formatSize(received_bytes),
        formatSize(bytes),
        started_by?.name ?? '',
        formatMinute(created_at),
        formatMinute(upload_expires_at),
      ],
    ),
    { columns: tableWidth() },
  )
}
