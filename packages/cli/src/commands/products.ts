import { CONNECTION_HELP } from '../connection/with-client.ts'
import { importProducts } from '../products/import-products.ts'
import { listProducts } from '../products/list-products.ts'
import { type Command, suggestion, UsageError } from '../usage.ts'

const ACTIONS: Record<string, (commandLine: string[]) => Promise<number>> = {
  ls: listProducts,
  list: listProducts,
  import: importProducts,
}

export const products: Command = {
  help: `stowage products: list and import the shop's products

Usage:
  stowage products ls [WORD…] [--sku SKU] [--vendor NAME] [--tag TAG] [--limit N | --all]
  stowage products import FILE|- [--dry-run] [--skip-bad]

  WORD          any part of the name, variant name, SKU or vendor; all words must match
  --sku         only products with exactly this SKU
  --vendor      only products of this vendor
  --tag         only products with this tag
  -n, --limit   the maximum number of products (default: 25)
  --all         all products
  --dry-run     show what would be added and changed, and import nothing
  --skip-bad    skip invalid lines (default: import nothing if the file has invalid lines)
${CONNECTION_HELP}
  --json        ls: a JSON array; import: a summary

The file is CSV with Shopify's columns plus product and variant IDs, or with the columns product_id,
variant_id, name, variant_name, sku, vendor and tags; or JSON: an array of products, or Shopify's
products.json. Shopify's own CSV export has no IDs: use https://YOUR-SHOP/products.json?limit=250 or
an export of Matrixify, or add the columns "Product ID" and "Variant ID".

Products are identified by product_id and variant_id: existing ones are updated, new ones are added,
none are removed. A missing column leaves the stored values unchanged; an empty cell clears a value.

Exit codes: 0 success · 1 failure, or the file has invalid lines · 2 wrong usage

Examples:
  stowage products import products.csv --dry-run
  stowage products import products.csv
  stowage products ls preset --vendor "Studio North"
`,
  async run([action, ...commandLine]) {
    if (action === undefined) throw new UsageError('Pass ls or import.')
    const work = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (work === undefined) {
      throw new UsageError(
        `Unknown command products ${action}.${suggestion(action, Object.keys(ACTIONS))}`,
      )
    }
    return work(commandLine)
  },
}
