import type { Asset } from '@stowage/client'
import { getAsset } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { writeItem } from '../output.ts'
import { productLabel } from '../products.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, requireArguments } from '../usage.ts'

export const show: Command = {
  help: `stowage show: show the details of assets

Usage:
  stowage show ID|NAME…

${CONNECTION_HELP}
  --json        one JSON object per line: the asset with its products

Examples:
  stowage show sample-pack.zip
  stowage show 01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f --json | jq .products
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const wanted = requireArguments(positionals, 'asset')
    return withClient(values, async (client, { url }) => {
      for (const [index, one] of wanted.entries()) {
        const asset = await getAsset(client, one, { with_products: true })
        const text = `${index > 0 ? '\n' : ''}${textOf(asset, url)}`
        writeItem(asset, { json: values.json === true, text })
      }
      return 0
    })
  },
}

function textOf(asset: Asset, url: string): string {
  const {
    id,
    filename,
    path,
    size,
    bytes,
    mime,
    status,
    created_at,
    is_link,
    version = 1,
    checksum,
    damaged,
    tags = [],
    products = [],
  } = asset
  const details: [string, string][] = [
    ['id', id],
    ['type', is_link ? 'link' : `file, ${mime}`],
    ...optional('path', path),
    ...optional('tags', tags.join(', ')),
    ['size', bytes < 1000 ? size : `${size} (${bytes} bytes)`],
    ['created', created_at],
    ...optional('version', version > 1 && `${version}`),
    ...optional('status', status !== 'ready' && 'uploading (not complete)'),
    ...optional('status', damaged && 'damaged: replace the file, or restore another version'),
    ...optional('sha256', checksum && `${checksum.sha256}, verified ${checksum.verified_at}`),
    ['url', asset.url ?? `${url}/assets/${id}`],
    ...products.map((product, index): [string, string] => [
      index === 0 ? 'products' : '',
      `${productLabel(product)}  ${product.product_id}/${product.variant_id}`,
    ]),
  ]
  const lines = details.map(([name, value]) => `  ${name.padEnd(10)}${sanitize(value)}`)
  return [sanitize(filename), ...lines].join('\n')
}

/** A line that is omitted if it has no value. */
function optional(name: string, value: string | false | null | undefined): [string, string][] {
  return value ? [[name, value]] : []
}
