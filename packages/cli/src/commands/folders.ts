import { setTimeout as pause } from 'node:timers/promises'
import { type Folder, type FolderMove, isStowageError, type NodeClient } from '@stowage/client/node'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { counted, tableWidth, writeData, writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'
import { type Command, CommandFailed, readLimit, readOptions, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
  merge: { type: 'boolean' },
} as const

const readFolderOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
type Values = ReturnType<typeof readFolderOptions>['values']

export const folders: Command = {
  help: `stowage folders: list, rename and move folders of assets

Usage:
  stowage folders ls [FOLDER] [--limit N | --all]
  stowage folders mv FOLDER NEW-FOLDER [--merge]

  FOLDER        a path, such as 'course/week 1'; ls without FOLDER lists the folders at the top
  -n, --limit   the maximum number of folders (default: 25)
  --all         all folders
  --merge       mv: NEW-FOLDER may have assets, which stay
${CONNECTION_HELP}
  --json        ls: a JSON array of folders; mv: the move as a JSON object

ls shows the direct subfolders. ASSETS includes those below each folder, and is counted up to 1,000.
list is an alias of ls.

mv moves everything that is in the folder or below it when the command starts, including unfinished
uploads and assets in the trash. It waits until all assets are moved. If it is interrupted, the
service continues.

Examples:
  stowage folders ls course
  stowage folders mv 'course/week 1' course/introduction
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readFolderOptions(commandLine)
    if (action === 'ls' || action === 'list') return listFolders(values, positionals)
    if (action === 'mv') return moveFolder(values, positionals)
    throw new UsageError(
      action === undefined ? 'Pass ls or mv.' : `Unknown command folders ${action}.`,
    )
  },
}

async function listFolders(values: Values, positionals: string[]): Promise<number> {
  const [path, ...more] = positionals
  if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
  const { json = false } = values
  const limit = readLimit(values) ?? Infinity
  return withClient(values, async (client) => {
    const { found, hasMore } = await readFolders(client, path, limit)
    writeData(found, { json, text: folderTable(found) })
    if (found.length === 0 && !json) writeMessage('No results.')
    if (hasMore) writeMessage(`There are more than ${limit} folders. Pass --limit or --all.`)
    return 0
  })
}

async function readFolders(client: NodeClient, path: string | undefined, limit: number) {
  const found: Folder[] = []
  let after: string | null | undefined
  do {
    const page = await client.folders({
      limit: Math.min(limit - found.length, 200),
      ...(path !== undefined && { path }),
      ...(after && { after }),
    })
    found.push(...page.data)
    after = page.meta.next_after
  } while (after !== null && found.length < limit)
  return { found, hasMore: after !== null }
}

function folderTable(folders: Folder[]): string {
  return table(
    [{ head: 'FOLDER', minWidth: 16 }, { head: 'ASSETS', align: 'right' }, { head: 'SUBFOLDERS' }],
    folders.map(({ path, assets, assets_is_exact, has_folders }) => [
      path,
      assets_is_exact ? String(assets) : `${assets}+`,
      has_folders ? 'yes' : '',
    ]),
    { columns: tableWidth() },
  )
}

async function moveFolder(values: Values, positionals: string[]): Promise<number> {
  const [from, to, ...more] = positionals
  if (from === undefined) throw new UsageError('No folder given.')
  if (to === undefined) throw new UsageError('No new folder given.')
  if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
  const { json = false, merge } = values
  return withClient(values, async (client) => {
    const begun = await client
      .moveFolder({ from, to, ...(merge && { merge }) })
      .catch((error: unknown) => {
        if (!isStowageError(error, 'folder_exists')) throw error
        throw new CommandFailed(
          `The folder ${sanitize(to)} already has assets. Pass --merge to add those of ${sanitize(from)} to them, or choose another name.`,
        )
      })
    const move = await untilMoved(client, begun)
    const assets = counted(move.moved, 'asset')
    writeItem(move, { json, text: sanitize(`${move.from} moved to ${move.to} (${assets})`) })
    return 0
  })
}

const POLL_MS = 1_000

/** The service keeps the last finished moves, so that a poll finds this one. */
async function untilMoved(client: NodeClient, begun: FolderMove): Promise<FolderMove> {
  for (let move = begun; ; ) {
    if (move.status === 'moved') return move
    writeMessage(`${counted(move.moved, 'asset is', 'assets are')} moved. The service continues.`)
    await pause(POLL_MS)
    const moves = await client.folderMoves()
    const found = moves.find(({ id }) => id === begun.id)
    if (found === undefined) return move
    move = found
  }
}
