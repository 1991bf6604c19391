import type { Version } from '@stowage/client'
import { getAsset } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { tableWidth, writeItem } from '../output.ts'
import { type Column, table } from '../terminal/table.ts'
import { type Command, readOptions, requireOneArgument } from '../usage.ts'

export const versions: Command = {
  help: `stowage versions: list the versions of a file

Usage:
  stowage versions ID|NAME

${CONNECTION_HELP}
  --json        a JSON array of versions

The current version is marked with *. stowage replace adds a version, and stowage restore makes an
older one current again. STOWAGE_KEEP_VERSIONS of the service sets how many older versions are kept.
A damaged version cannot be downloaded.

Examples:
  stowage versions ebook.pdf
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const wanted = requireOneArgument(positionals, 'asset')
    return withClient(values, async (client) => {
      const { id } = await getAsset(client, wanted)
      const list = await client.versions(id)
      writeItem(list, { json: values.json === true, text: versionTable(list) })
      return 0
    })
  },
}

const COLUMNS: Column[] = [
  { head: 'VERSION' },
  { head: 'NAME', minWidth: 16 },
  { head: 'SIZE', align: 'right' },
  { head: 'STATE' },
  { head: 'CREATED', dropOrder: 1 },
]

function versionTable(list: Version[]): string {
  const hasDamaged = list.some(({ damaged }) => damaged)
  return table(
    COLUMNS.filter(({ head }) => head !== 'STATE' || hasDamaged),
    list.map(({ version, current, filename, size, damaged, created_at }) => [
      `${version}${current ? ' *' : ''}`,
      filename,
      size,
      ...(hasDamaged ? [damaged ? 'damaged' : ''] : []),
      created_at.slice(0, 16).replace('T', ' '),
    ]),
    { columns: tableWidth() },
  )
}
