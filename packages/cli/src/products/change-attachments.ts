import type { Asset, NodeClient, ProductReferences } from '@stowage/client/node'
import { forEachAsset } from '../assets/for-each-asset.ts'
import { getAssets } from '../assets/get-asset.ts'
import { CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { ignoreClosedOutput, writeItem } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { readOptions, requireArguments, UsageError } from '../usage.ts'
import { getProducts, productLabel } from './get-products.ts'

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
  const { assets, products } = splitArguments(tokens, option)
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

/** All words after `--to` or `--from` are products. */
function splitArguments(tokens: readonly Token[], option: string) {
  const assets: string[] = []
  const products: string[] = []
  let isAfter = false
  for (const { kind, name, value } of tokens) {
    if (kind === 'option' && name === option) {
      isAfter = true
      products.push(value ?? '')
    }
    if (kind === 'positional') (isAfter ? products : assets).push(value ?? '')
  }
  return { assets, products }
}

function textOf({ id, filename, products = [] }: Asset): string {
  const labels = products.map(productLabel).join(' · ')
  return `${sanitize(`${id}  ${filename}`)}: ${labels || 'no products'}`
}
