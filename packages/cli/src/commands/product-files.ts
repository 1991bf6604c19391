/* The files of a product and their order, for `stowage products`. */

import type { Asset, NodeClient } from '@stowage/client/node'
import { CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { PAGE_SIZE, writeData, writeMessage } from '../output.ts'
import { getProducts } from '../products.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { CommandFailed, readOptions, requireOneArgument, UsageError } from '../usage.ts'

/** `stowage products files PRODUCT`. */
export async function listFiles(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
  const wanted = requireOneArgument(positionals, 'product')
  const { json = false } = values
  return withClient(values, async (client) => {
    const files = await readFiles(client, await findVariant(client, wanted))
    writeData(files, { json, text: fileLines(files) })
    if (files.length === 0 && !json) writeMessage('The product has no files.')
    return 0
  })
}

const ARRANGE_OPTIONS = {
  ...CONNECTION_OPTIONS,
  'by-name': { type: 'boolean' },
  reset: { type: 'boolean' },
} as const

/** `stowage products arrange PRODUCT FILE…`. */
export async function arrangeFiles(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, ARRANGE_OPTIONS)
  const { json = false, 'by-name': isByName = false, reset = false } = values
  const [wanted, ...names] = positionals
  if (wanted === undefined) throw new UsageError('No product given.')
  if (Number(names.length > 0) + Number(isByName) + Number(reset) !== 1) {
    throw new UsageError('Pass the files in their new order, --by-name or --reset.')
  }
  return withClient(values, async (client) => {
    const variant = await findVariant(client, wanted)
    const files = await readFiles(client, variant)
    const arranged = reset ? [] : isByName ? files.toSorted(byName) : withFirst(files, names)
    await client.arrangeFiles(
      variant,
      arranged.map(({ id }) => id),
    )
    const after = reset ? await readFiles(client, variant) : arranged
    writeData(after, { json, text: fileLines(after) })
    return 0
  })
}

/** The ID of one variant of the only product that the text names. */
async function findVariant(client: NodeClient, wanted: string): Promise<string> {
  const { lines } = await getProducts(client, [wanted])
  const [productId = 0, ...others] = new Set(lines.map(({ product_id }) => product_id))
  if (others.length > 0) {
    throw new CommandFailed(
      `${sanitize(wanted)} is the SKU of several products. Pass product: and one of their IDs: ${[productId, ...others].join(', ')}.`,
    )
  }
  const { data } = await client.products({ product_id: productId, limit: 1 }).page()
  const [variant] = data
  if (variant === undefined) throw new CommandFailed(`There is no product ${sanitize(wanted)}.`)
  return variant.id
}

/** All files of the product, in their order. More than one page cannot be arranged. */
async function readFiles(client: NodeClient, variant: string): Promise<Asset[]> {
  const list = client.assetsOf(variant, { all_variants: true, limit: PAGE_SIZE })
  const { data, meta } = await list.page()
  if (meta.total > data.length) {
    throw new CommandFailed(
      `The product has ${meta.total} files. Only those of a product with at most ${PAGE_SIZE} have an order.`,
    )
  }
  return data
}

/** Numbers in names are compared as numbers. */
function byName(a: Asset, b: Asset): number {
  return a.filename.localeCompare(b.filename, 'en', { numeric: true, sensitivity: 'base' })
}

/** The named files first. The others follow in their current order. */
function withFirst(files: readonly Asset[], names: readonly string[]): Asset[] {
  const first = new Set<Asset>()
  const problems: string[] = []
  for (const name of names) {
    const found = files.filter(({ id, filename }) => id === name.toLowerCase() || filename === name)
    const [file, ...others] = found
    const shown = sanitize(name)
    if (file === undefined) problems.push(`The product has no file ${shown}.`)
    else if (others.length > 0) {
      const ids = found.map(({ id }) => id).join(', ')
      problems.push(`${found.length} files are named ${shown}. Pass their IDs: ${ids}.`)
    } else if (first.has(file)) problems.push(`${shown} is given twice.`)
    else first.add(file)
  }
  if (problems.length > 0) throw new CommandFailed(problems.join(' '))
  return [...first, ...files.filter((file) => !first.has(file))]
}

function fileLines(files: readonly Asset[]): string {
  return files.map(({ id, filename }) => sanitize(`${id}  ${filename}`)).join('\n')
}
