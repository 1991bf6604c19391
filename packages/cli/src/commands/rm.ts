import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { getAssets } from '../assets/find-asset.ts'
import { forEachAsset } from '../assets/for-each-asset.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { outliveReader, say, writeItem } from '../output.ts'
import { productLabel } from '../products/find-products.ts'
import { canAsk, confirm } from '../terminal/ask.ts'
import { plain } from '../text/plain.ts'
import { type Command, readOptions, someValues, UsageError } from '../usage.ts'

const OPTIONS = { ...CONNECTION_OPTIONS, yes: { type: 'boolean', short: 'y' } } as const

export const rm: Command = {
  help: `stowage rm: delete assets, for good

Usage:
  stowage rm ID|NAME… [--yes]

  --yes       does not ask. On a terminal it asks otherwise, and names the products that lose
              something; elsewhere it is needed
${CONNECTION_HELP}
  --json      one JSON object a line

Exit codes: 0 deleted · 1 not, or not all · 2 wrong usage

Examples:
  stowage rm old-pack.zip
  stowage ls --unlinked --all --json | jq -r '.[].id' | xargs stowage rm --yes
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const wanted = someValues(positionals, 'asset')
    const { yes = false, json = false } = values
    if (!yes && !canAsk()) throw new UsageError('nobody can be asked here: --yes deletes')
    return withClient(values, async (client, connection) => {
      const assets = await getAssets(client, wanted, { with_products: true })
      if (!yes) {
        say(whatGoes(assets))
        if (!(await confirm('Delete for good?'))) {
          say('Nothing was deleted.')
          return 1
        }
      }
      outliveReader()
      return forEachAsset(assets, { connection, json }, async ({ id, filename }) => {
        await client.delete(id)
        const text = plain(`${id}  ${filename} deleted`)
        writeItem({ id, filename, deleted: true }, { json, text })
      })
    })
  },
}

function whatGoes(assets: Asset[]): string {
  const lines = assets.flatMap(({ filename, size, products = [] }) => [
    `  ${plain(`${filename}  ${size}`)}`,
    ...products.map((product) => `    linked to ${productLabel(product)}`),
  ])
  const bytes = assets.reduce((sum, asset) => sum + (asset.is_file ? asset.bytes : 0), 0)
  const total = assets.length > 1 ? [`${assets.length} assets, ${formatSize(bytes)} in all`] : []
  return [...lines, ...total].join('\n')
}
