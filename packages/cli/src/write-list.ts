import { jsonText, writeMessage } from './output.ts'
import { PAGE_SIZE } from './page-size.ts'

interface Listed<Item> extends AsyncIterable<Item> {
  page(): Promise<{ data: Item[]; meta: { total: number } }>
}

interface ListOptions<Item> {
  /** Undefined for all items. */
  limit: number | undefined
  json: boolean
  /** The largest page that the service returns. */
  pageSize?: number
  text(items: Item[]): string
}

export interface ListCounts {
  shown: number
  /** Undefined if there are more than were shown, but it is not known how many. */
  total: number | undefined
}

/**
 * Writes a list to standard output: as a table, or as a JSON array whose items are written as they
 * arrive.
 */
export async function writeList<Item>(
  list: (pageSize: number) => Listed<Item>,
  { limit, json, text, pageSize = PAGE_SIZE }: ListOptions<Item>,
): Promise<ListCounts> {
  const write = json ? openArray() : openTable(text)
  const isOnePage = limit !== undefined && limit <= pageSize
  if (isOnePage) {
    const { data, meta } = await list(limit).page()
    for (const item of data) write.item(item)
    write.end()
    return { shown: data.length, total: meta.total }
  }
  let shown = 0
  for await (const item of list(pageSize)) {
    if (shown === limit) {
      write.end()
      return { shown, total: undefined }
    }
    write.item(item)
    shown += 1
  }
  write.end()
  return { shown, total: shown }
}

export function reportRemaining({ shown, total }: ListCounts): void {
  if (total === 0) writeMessage('No results.')
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
