import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { isStowageError, type NodeClient } from '@stowage/client/node'
import {
  batchProducts,
  compareProducts,
  type ProductsFile,
  parseProductsFile,
} from '@stowage/client/products-file'
import { CONNECTION_OPTIONS, toCommandError, withClient } from '../connection/with-client.ts'
import { writeData, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed, readOptions, requireOneArgument } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  'dry-run': { type: 'boolean' },
  'skip-bad': { type: 'boolean' },
} as const

const MAX_PROBLEMS = 50
const MAX_COLUMNS = 10

/** `stowage products import`. */
export async function importProducts(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, OPTIONS)
  const path = requireOneArgument(positionals, 'file')
  const { json = false, 'dry-run': isDryRun = false, 'skip-bad': skipBad = false } = values
  const file = parseProductsFile(await readInput(path))
  writeProblems(file, path)
  const { products, problems } = file
  const skipped = new Set(problems.map(({ line }) => line)).size
  writeIgnoredColumns(file)
  const summary = { file: path, format: file.format, products: products.length, problems }
  if (isDryRun) {
    return withClient(values, async (client) => {
      const preview = await previewOf(client, file)
      if (!json) for (const line of preview.lines) process.stdout.write(`${line}\n`)
      const { counts } = preview
      const text = `${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged, ${skipped} invalid; nothing was imported (--dry-run)`
      writeData({ ...summary, ...counts, imported: 0 }, { json, text })
      return problems.length > 0 && !skipBad ? 1 : 0
    })
  }
  if (problems.length > 0 && !skipBad) {
    if (json) writeData({ ...summary, imported: 0 }, { json, text: '' })
    throw new CommandFailed(
      'Nothing was imported. Fix the file, or pass --skip-bad to skip the invalid lines.',
    )
  }
  return withClient(values, async (client, connection) => {
    let imported = 0
    const progress = showProgress()
    try {
      for (const some of batchProducts(products)) {
        await client.putProducts(some.map(({ details }) => details))
        imported += some.length
        progress.show(`${imported} of ${products.length} products`)
      }
    } catch (error) {
      if (!isStowageError(error)) throw error
      progress.clear()
      writeMessage(
        `${imported} of ${products.length} products were imported before this error. It is safe to run the command again.`,
      )
      throw toCommandError(error, connection)
    }
    progress.clear()
    const text =
      skipped === 0
        ? `${imported} ${imported === 1 ? 'product' : 'products'} imported`
        : `${imported} imported, ${skippedText(skipped, file.format)}`
    writeData({ ...summary, imported, skipped }, { json, text })
    return 0
  })
}

async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    throw new CommandFailed(`Cannot read ${sanitize(path)}: ${(error as Error).message}`)
  }
}

/** `products.csv:12: sku: must be a string of …`, like a compiler. */
function writeProblems({ problems }: ProductsFile, path: string): void {
  for (const { line, field, column = field, value, message } of problems.slice(0, MAX_PROBLEMS)) {
    const where = column === undefined ? '' : `${column}: `
    const found = value ? ` (found ${show(value)})` : ''
    writeMessage(sanitize(`${path}:${line}: ${where}${message}${found}`))
  }
  const more = problems.length - MAX_PROBLEMS
  if (more > 0) writeMessage(`and ${more} more (--json lists all)`)
}

/** A misspelled column would otherwise be ignored silently. */
function writeIgnoredColumns({ ignoredColumns }: ProductsFile): void {
  if (ignoredColumns.length === 0) return
  const shown = ignoredColumns.slice(0, MAX_COLUMNS)
  const more = ignoredColumns.length - shown.length
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])]
  writeMessage(sanitize(`Columns that are not imported: ${names.join(', ')}`))
}

function skippedText(count: number, format: ProductsFile['format']): string {
  const [one, many] = format === 'csv' ? ['line', 'lines'] : ['entry', 'entries']
  return `${count} ${count === 1 ? one : many} skipped`
}

async function previewOf(client: NodeClient, { products }: ProductsFile) {
  const compared = compareProducts(products, await Array.fromAsync(client.products()))
  const counts = { new: 0, changed: 0, unchanged: 0 }
  const lines: string[] = []
  for (const { outcome, details, changes } of compared) {
    counts[outcome] += 1
    if (outcome === 'unchanged') continue
    const what = changes.map(
      ({ field, before, after }) => `${field} ${show(before)} → ${show(after)}`,
    )
    const title = `${details.product_id}/${details.variant_id} ${details.name}`
    lines.push(
      sanitize(outcome === 'new' ? `new      ${title}` : `changed  ${title}: ${what.join(', ')}`),
    )
  }
  return { counts, lines }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
