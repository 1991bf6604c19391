import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { forEachAsset, getAssets } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { ignoreClosedOutput, writeItem, writeMessage } from '../output.ts'
import { productLabel } from '../products.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, requireArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  permanent: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

export const rm: Command = {
  help: `stowage rm: delete assets

Usage:
  stowage rm ID|NAME|PATTERN… [--permanent] [--yes]

  PATTERN       a name with * (any characters) or ? (one character), in quotes. With a /, it also
                matches the folder: 'course/*.mp4', and ** matches any folders: 'course/**'

  --permanent   remove the assets immediately, even from the trash. They cannot be restored
  -y, --yes     do not ask for confirmation. Without it, the command lists the products that the
                assets are attached to, and asks. Required if not run in a terminal
${CONNECTION_HELP}
  --json        one JSON object per line: {id, filename, deleted} or {asset, error}

Deleted assets are moved to the trash: stowage trash ls lists them, and stowage restore restores
them. Their storage is available immediately: if an upload needs it, the oldest assets in the trash
are removed. All others are removed after 30 days (STOWAGE_TRASH_FOR of the service). If the service
has no trash (STOWAGE_TRASH_FOR=0), each deletion is permanent.

Exit codes: 0 all deleted · 1 at least one asset was not deleted · 2 wrong usage

Examples:
  stowage rm old-pack.zip
  stowage rm '*.tmp' 'drafts/**'
  stowage ls --unattached --all --json | jq -r '.[].id' | xargs stowage rm --yes
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const wanted = requireArguments(positionals, 'asset')
    const { permanent = false, yes = false, json = false } = values
    return withClient(values, async (client, connection) => {
      const assets = await getAssets(client, wanted, {
        with_products: true,
        trashed: permanent,
        patterns: true,
      })
      if (!yes && !isInteractive())
        throw new UsageError('Not interactive. Pass --yes to delete without asking.')
      const isPermanent = permanent || (await client.account()).trash_for === 0
      if (!yes) {
        writeMessage(describeDeletion(assets))
        if (!(await confirm(isPermanent ? 'Delete permanently?' : 'Delete?'))) {
          writeMessage('Nothing was deleted.')
          return 1
        }
      }
      ignoreClosedOutput()
      return forEachAsset(assets, { connection, json }, async ({ id, filename }) => {
        await client.delete(id, { permanent })
        const how = isPermanent ? 'deleted permanently' : 'deleted'
        const text = sanitize(`${id}  ${filename} ${how}`)
        writeItem({ id, filename, deleted: true }, { json, text })
      })
    })
  },
}

function describeDeletion(assets: Asset[]): string {
  const lines = assets.flatMap(({ filename, size, products = [] }) => [
    `  ${sanitize(`${filename}  ${size}`)}`,
    ...products.map((product) => `    attached to ${productLabel(product)}`),
  ])
  const bytes = assets.reduce((sum, asset) => sum + (asset.is_file ? asset.bytes : 0), 0)
  const total = assets.length > 1 ? [`${assets.length} assets, ${formatSize(bytes)} in total`] : []
  return [...lines, ...total].join('\n')
}
