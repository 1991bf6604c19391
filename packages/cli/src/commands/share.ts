import type { OrderRequest } from '@stowage/client/node'
import { getAssets } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import {
  getOrderLines,
  LIMIT_HELP,
  limitsOf,
  PRODUCT_OPTIONS,
  readDownloads,
  readExpiry,
  urlProblem,
  wantedProducts,
} from '../orders.ts'
import { writeData, writeMessage } from '../output.ts'
import { type Command, CommandFailed, omitUndefined, readOptions, UsageError } from '../usage.ts'

export const share: Command = {
  help: `stowage share: create a download page for files or products, and print its URL

Usage:
  stowage share ID|NAME… [--downloads N] [--expires TIME] [--inline] [--label TEXT]
  stowage share --sku SKU | --product SKU|ID|WORDS …

  --sku         the files of the products with exactly this SKU, also those that are attached to
                them later; can be repeated
  -p, --product a product, as in stowage attach; can be repeated
${LIMIT_HELP}
  --inline      let the buyer play audio and video, and open PDF files and pictures, uncounted
  --label       a note for yourself, which the buyer does not see
${CONNECTION_HELP}
  --json        the order as a JSON object

Whoever has the URL can download. Names can be patterns with * and ?. The page is an order without
a number: stowage orders extend changes its limits, and stowage orders revoke ends it.

Examples:
  stowage share book.pdf
  stowage share --sku PACK-WAV --downloads 5 --expires 30d --label "press kit"
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, {
      ...CONNECTION_OPTIONS,
      ...PRODUCT_OPTIONS,
      downloads: { type: 'string' },
      expires: { type: 'string' },
      label: { type: 'string' },
      inline: { type: 'boolean' },
    })
    const products = wantedProducts(values)
    if (positionals.length === 0 && products.length === 0) {
      throw new UsageError('Nothing to share. Pass names of assets, --sku or --product.')
    }
    const limits = {
      max_downloads: readDownloads(values.downloads),
      expires_at: readExpiry(values.expires),
      label: values.label,
      inline: values.inline,
    }
    const { json = false } = values
    return withClient(values, async (client) => {
      const lines = await getOrderLines(client, products)
      const assets = await getAssets(client, positionals, { patterns: true })
      const request = { ...omitUndefined(limits), lines, assets: assets.map(({ id }) => id) }
      const order = await client.createOrder(request as OrderRequest)
      const problem = urlProblem(order)
      if (order.url === null) throw new CommandFailed(problem ?? '')
      writeData(order, { json, text: order.url })
      if (json) return 0
      writeMessage(`${limitsOf(order)} stowage orders revoke ${order.id} ends it.`)
      if (problem !== undefined) writeMessage(problem)
      return 0
    })
  },
}
