import type { Asset, Tag } from '@stowage/client'
import { forEachAsset, getAssets } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { ignoreClosedOutput, tableWidth, writeItem, writeList } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readLimit,
  readName,
  readOptions,
  requireArguments,
  UsageError,
} from '../usage.ts'
import { splitArguments } from './attach.ts'

export const tag: Command = {
  help: `stowage tag: add tags to assets

Usage:
  stowage tag ID|NAME… --tag TAG…

  --tag         one or more tags. Two spellings that differ only in case are the same tag
${CONNECTION_HELP}
  --json        one JSON object per line: the asset, or {asset, error}

If an asset does not exist, nothing changes. Adding a tag again has no effect.

Examples:
  stowage tag sample-pack.zip --tag drums "Summer sale"
`,
  run: (commandLine) => changeTags(commandLine, 'tag'),
}

export const untag: Command = {
  help: `stowage untag: remove tags from assets

Usage:
  stowage untag ID|NAME… --tag TAG…

  --tag         one or more tags, in any case
${CONNECTION_HELP}
  --json        one JSON object per line: the asset, or {asset, error}

If an asset does not exist, nothing changes. Removing a tag that an asset does not have has no
effect.

Examples:
  stowage untag sample-pack.zip --tag "summer sale"
`,
  run: (commandLine) => changeTags(commandLine, 'untag'),
}

/** All assets are found before the first one is changed. */
function changeTags(commandLine: string[], action: 'tag' | 'untag'): Promise<number> {
  const options = { ...CONNECTION_OPTIONS, tag: { type: 'string', multiple: true } } as const
  const { values, tokens } = readOptions(commandLine, options)
  const { assets, others: given } = splitArguments(tokens, 'tag')
  const wanted = requireArguments(assets, 'asset')
  if (given.length === 0) throw new UsageError('No tags given. Pass --tag TAG…')
  const json = values.json === true
  return withClient(values, async (client, connection) => {
    const found = await getAssets(client, wanted)
    ignoreClosedOutput()
    return forEachAsset(found, { connection, json }, async ({ id }) => {
      await client.bulk({ action, ids: [id], tags: given })
      const asset = await client.asset(id)
      writeItem(asset, { json, text: textOf(asset) })
    })
  })
}

function textOf({ id, filename, tags }: Asset): string {
  return sanitize(`${id}  ${filename}: ${tags.join(', ') || 'no tags'}`)
}

export const tags: Command = {
  help: `stowage tags: list the tags of assets

Usage:
  stowage tags [TEXT] [--limit N | --all]

  TEXT          a part of the tag, case-insensitive
  -n, --limit   the maximum number of tags (default: 25)
  --all         all tags
${CONNECTION_HELP}
  --json        a JSON array of tags, each with its number of assets

Examples:
  stowage tags
  stowage tags sale --json
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, {
      ...CONNECTION_OPTIONS,
      limit: { type: 'string', short: 'n' },
      all: { type: 'boolean' },
    })
    const { json = false } = values
    const limit = readLimit(values)
    const search = readName(positionals)
    return withClient(values, async (client) => {
      const list = (pageSize: number) => client.tags(omitUndefined({ search, limit: pageSize }))
      await writeList<Tag>(list, { limit, json, text: tagTable })
      return 0
    })
  },
}

function tagTable(listed: Tag[]): string {
  return table(
    [
      { head: 'TAG', minWidth: 16 },
      { head: 'ASSETS', align: 'right' },
    ],
    listed.map(({ name, assets }) => [name, `${assets}`]),
    { columns: tableWidth() },
  )
}
