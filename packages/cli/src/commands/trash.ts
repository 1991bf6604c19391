import type { Asset } from '@stowage/client'
import { fullName } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { counted, formatMinute, tableWidth, writeData, writeList, writeMessage } from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { type Column, table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readChoice,
  readLimit,
  readName,
  readOptions,
  refuseArguments,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  search: { type: 'string' },
  path: { type: 'string' },
  type: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const readTrashOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
type Values = ReturnType<typeof readTrashOptions>['values']

export const trash: Command = {
  help: `stowage trash: list or empty the trash

Usage:
  stowage trash ls [NAME] [--search WORDS] [--path FOLDER] [--type file|link] [--limit N | --all]
  stowage trash empty [--yes]

  NAME          a part of the name, case-insensitive
  --search      words in any order; each must be in the file name or in the folder
  --path        only assets in this folder and below it, such as course/
  --type        only files, or only links (assets that are external URLs)
  -n, --limit   the maximum number of assets (default: 25)
  --all         all assets
  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        ls: a JSON array of assets; empty: {deleted}

Deleted assets stay in the trash until the time in REMOVED AFTER (UTC), or until an upload needs
their storage. stowage restore restores an asset, and stowage rm --permanent removes it. The most
recently deleted asset is listed first. list is an alias of ls.

Examples:
  stowage trash ls
  stowage trash empty --yes
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readTrashOptions(commandLine)
    if (action === 'ls' || action === 'list') return listTrash(values, positionals)
    if (action === 'empty') {
      refuseArguments(positionals)
      return emptyTrash(values)
    }
    throw new UsageError(
      action === undefined ? 'Pass ls or empty.' : `Unknown command trash ${action}.`,
    )
  },
}

const NO_TRASH =
  'This service has no trash (STOWAGE_TRASH_FOR=0): deleted assets are removed immediately.'

async function listTrash(values: Values, positionals: string[]): Promise<number> {
  const { json = false, search, path } = values
  const limit = readLimit(values)
  const type = readChoice(values.type, '--type', ['file', 'link'] as const)
  const query = { search, path, type, filename: readName(positionals) }
  return withClient(values, async (client) => {
    const list = (pageSize: number) => client.trash(omitUndefined({ ...query, limit: pageSize }))
    const isFiltered = Object.values(query).some((value) => value !== undefined)
    const none = isFiltered ? undefined : 'The trash is empty.'
    await writeList<Asset>(list, { limit, json, text: trashTable, none })
    if (!json && (await client.account()).trash_for === 0) writeMessage(NO_TRASH)
    return 0
  })
}

async function emptyTrash({ yes = false, json = false, ...values }: Values): Promise<number> {
  if (!yes && !isInteractive()) {
    throw new UsageError('Not interactive. Pass --yes to empty the trash without asking.')
  }
  return withClient(values, async (client) => {
    const { meta } = await client.trash({ limit: 1 }).page()
    if (meta.total === 0) {
      writeData({ deleted: 0 }, { json, text: 'The trash is empty.' })
      return 0
    }
    const assets = counted(meta.total, 'asset')
    if (!yes && !(await confirm(`Delete ${assets} permanently?`))) {
      writeMessage('Nothing was deleted.')
      return 1
    }
    await client.emptyTrash()
    writeData({ deleted: meta.total }, { json, text: `${assets} deleted permanently` })
    return 0
  })
}

const COLUMNS: Column[] = [
  { head: 'ID', dropOrder: 1 },
  { head: 'NAME', minWidth: 16 },
  { head: 'SIZE', align: 'right' },
  { head: 'DELETED', dropOrder: 3 },
  { head: 'REMOVED AFTER', dropOrder: 2 },
]

function trashTable(assets: Asset[]): string {
  return table(
    COLUMNS,
    assets.map(({ id, is_link, size, bytes, deleted_at, removed_after, ...file }) => [
      id,
      fullName(file),
      is_link && bytes === 0 ? 'link' : size,
      formatMinute(deleted_at),
      formatMinute(removed_after),
    ]),
    { columns: tableWidth() },
  )
}
