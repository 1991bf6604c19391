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
  help: `stowage products: the shop's products, which assets are linked to

Usage:
  stowage products ls [NAME] [--sku SKU] [--vendor NAME] [--tag TAG] [--limit N | --all]
  stowage products import FILE|- [--dry-run] [--skip-bad]

  NAME        any part of the name or the variant's name, in any case
  --limit     how many at most (25)
  --all       every one
  --dry-run   only say what would be new and what would change
  --skip-bad  import the good lines of a file that has bad ones; else nothing is imported
${CONNECTION_HELP}
  --json      ls: a JSON array; import: a summary

A file is CSV with Shopify's columns and the ids (or product_id, variant_id, name, variant_name,
sku, vendor, tags), or JSON: a list of products, or Shopify's products.json. A product is known by
product_id and variant_id: what is there is changed, what is not is added, nothing is removed.

Exit codes: 0 done · 1 failed, or the file has bad lines · 2 wrong usage

Examples:
  stowage products import products.csv --dry-run
  stowage products import products.csv
  stowage products ls preset --vendor "Studio North"
`,
  async run([action, ...commandLine]) {
    if (action === undefined) throw new UsageError('ls or import?')
    const work = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (work === undefined) {
      throw new UsageError(
        `there is no products ${action}${suggestion(action, Object.keys(ACTIONS))}`,
      )
    }
    return work(commandLine)
  },
}
