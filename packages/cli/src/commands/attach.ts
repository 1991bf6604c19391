import type { Asset, NodeClient, ProductReferences } from '@stowage/client/node'
import { forEachAsset, getAssets } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { ignoreClosedOutput, writeItem } from '../output.ts'
import { getProducts, productLabel } from '../products.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, requireArguments, UsageError } from '../usage.ts'

export const attach: Command = {
  help: `stowage attach: attach assets to products

Usage:
  stowage attach ID|NAME… --to SKU|ID|WORDS…

  --to          a SKU (all variants with it), the shop's ID of a product (all of its variants) or of
                a variant, or the product's ID in Stowage. If a number is ambiguous, write sku:X,
                product:X, variant:X or id:X. Any other text is searched as words of the name,
                variant, SKU or vendor, and must match exactly one product
${CONNECTION_HELP}
  --json        one JSON object per line: the asset with its products, or {asset, error}

If an asset or a product does not exist, nothing changes. Attaching a product again has no effect.

Examples:
  stowage attach sample-pack.zip --to PACK-WAV
  stowage attach a.zip b.zip --to PACK-WAV 632910392
  stowage attach a.zip --to "dusty drums"
`,
  run: (commandLine) =>
    changeAttachments(commandLine, {
      option: 'to',
      change: (client, id, products) => client.attach(id, products),
    }),
}

export const detach: Command = {
  help: `stowage detach: detach assets from products

Usage:
  stowage detach ID|NAME… --from SKU|ID|WORDS…

  --from        a SKU, the shop's ID of a product or of a variant, the product's ID in Stowage, or
                words, as in stowage attach
${CONNECTION_HELP}
  --json        one JSON object per line: the asset with its remaining products, or {asset, error}

If an asset or a product does not exist, nothing changes. Detaching a product that is not attached
has no effect.

Examples:
  stowage detach sample-pack.zip --from PACK-WAV
`,
  run: (commandLine) =>
    changeAttachments(commandLine, {
      option: 'from',
      change: (client, id, products) => client.detach(id, products),
    }),
}

interface AttachmentChange {
  /** The option that precedes the products: `to` or `from`. */
  option: string
  change(client: NodeClient, id: string, products: ProductReferences): Promise<Asset>
}

/** Runs `attach` and `detach`. All assets and products are found before the first asset is changed. */
export async function changeAttachments(
  commandLine: string[],
  { option, change }: AttachmentChange,
): Promise<number> {
  const { values, tokens } = readOptions(commandLine, {
    ...CONNECTION_OPTIONS,
    [option]: { type: 'string', multiple: true },
  })
  const { assets, others: products } = splitArguments(tokens, option)
  const wanted = requireArguments(assets, 'asset')
  if (products.length === 0)
    throw new UsageError(`No products given. Pass --${option} SKU|ID|WORDS…`)
  const json = values.json === true
  return withClient(values as { url?: string; key?: string }, async (client, connection) => {
    const { references } = await getProducts(client, products)
    const found = await getAssets(client, wanted)
    ignoreClosedOutput()
    return forEachAsset(found, { connection, json }, async ({ id }) => {
      const asset = await change(client, id, references)
      writeItem(asset, { json, text: textOf(asset) })
    })
  })
}

interface Token {
  kind: string
  name?: string
  value?: string | undefined
}

/** All words after the option, such as `--to`, belong to it. The words before it are assets. */
export function splitArguments(tokens: readonly Token[], option: string) {
  const assets: string[] = []
  const others: string[] = []
  let isAfter = false
  for (const { kind, name, value } of tokens) {
    if (kind === 'option' && name === option) {
      isAfter = true
      others.push(value ?? '')
    }
    if (kind === 'positional') (isAfter ? others : assets).push(value ?? '')
  }
  return { assets, others }
}

function textOf({ id, filename, products = [] }: Asset): string {
  const labels = products.map(productLabel).join(' · ')
  return `${sanitize(`${id}  ${filename}`)}: ${labels || 'no products'}`
}
