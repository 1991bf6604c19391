import { escapeControlCharacters } from './terminal/sanitize.ts'

/** Writes data to standard output, as JSON or as text. */
export function writeData(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data, 2) : options.text}\n`)
}

/** Writes one of several items. With `--json`, each is one line. */
export function writeItem(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data) : options.text}\n`)
}

/** JSON in which control characters are escaped, so that a terminal does not interpret them. */
function jsonText(data: unknown, indent?: number): string {
  return escapeControlCharacters(JSON.stringify(data, null, indent))
}

/** After this call, the command continues even if the reader of its output closes the pipe. */
export function ignoreClosedOutput(): void {
  process.stdout
    .removeAllListeners('error')
    .on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
      if (!isGone) writeMessage(`stowage: Cannot write the output: ${message}`)
    })
}

/** Writes a message for people to standard error. */
export function writeMessage(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** The width of the terminal. Undefined if standard output is not a terminal: tables are then not truncated. */
export function tableWidth(): number | undefined {
  return process.stdout.isTTY ? Math.max(20, process.stdout.columns || 80) : undefined
}

interface Listed<Item> extends AsyncIterable<Item> {
  page(): Promise<{ data: Item[]; meta: { total: number; total_is_exact?: boolean } }>
}

interface ListOptions<Item> {
  /** Undefined for all items. */
  limit: number | undefined
  json: boolean
  /** The largest page that the service returns. */
  pageSize?: number
  text(items: Item[]): string
  /** The message if there are no items. */
  none?: string | undefined
}

interface ListCounts {
  shown: number
  /** Undefined if there are more than were shown, but it is not known how many. */
  total: number | undefined
}

/**
 * Writes a list to standard output: as a table, or as a JSON array whose items are written as they arrive. Without
 * `--json`, a message says how many items were not shown.
 */
export async function writeList<Item>(
  list: (pageSize: number) => Listed<Item>,
  options: ListOptions<Item>,
): Promise<void> {
  const write = options.json ? openArray() : openTable(options.text)
  const counts = await writeItems(list, options, write.item)
  write.end()
  if (!options.json) reportRemaining(counts, options.none)
}

async function writeItems<Item>(
  list: (pageSize: number) => Listed<Item>,
  { limit, pageSize = PAGE_SIZE }: ListOptions<Item>,
  write: (item: Item) => void,
): Promise<ListCounts> {
  const isOnePage = limit !== undefined && limit <= pageSize
  if (isOnePage) {
    const { data, meta } = await list(limit).page()
    for (const item of data) write(item)
    return { shown: data.length, total: meta.total_is_exact === false ? undefined : meta.total }
  }
  let shown = 0
  for await (const item of list(pageSize)) {
    if (shown === limit) return { shown, total: undefined }
    write(item)
    shown += 1
  }
  return { shown, total: shown }
}

function reportRemaining({ shown, total }: ListCounts, none = 'No results.'): void {
  if (total === 0) writeMessage(none)
  else if (total === undefined)
    writeMessage(`Showing the first ${shown}. There are more. Pass --all to list all.`)
  else if (shown !== total) writeMessage(`Showing ${shown} of ${total}. Pass --all to list all.`)
}

function openTable<Item>(text: (items: Item[]) => string) {
  const items: Item[] = []
  return {
    item: (item: Item) => items.push(item),
    end: () => items.length > 0 && process.stdout.write(`${text(items)}\n`),
  }
}

function openArray() {
  let before = '[\n'
  return {
    item(item: unknown) {
      process.stdout.write(`${before}${jsonText(item)}`)
      before = ',\n'
    },
    end: () => process.stdout.write(before === '[\n' ? '[]\n' : '\n]\n'),
  }
}

/** The largest page that the service returns. */
export const PAGE_SIZE = 1000

/** `1 asset`, `5 assets`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `2026-11-17 04:30`, in UTC as in the API. Empty if there is no timestamp. */
export function formatMinute(timestamp = ''): string {
  return timestamp.slice(0, 16).replace('T', ' ')
}
