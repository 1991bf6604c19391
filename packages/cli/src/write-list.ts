import { jsonText, writeMessage } from './output.ts'

/** The largest page there is. */
const PAGE = 1000

interface Listed<Item> extends AsyncIterable<Item> {
  page(): Promise<{ data: Item[]; meta: { total: number } }>
}

interface ListOptions<Item> {
  /** Undefined: all of them. */
  limit: number | undefined
  json: boolean
  text(items: Item[]): string
}

export interface ListCounts {
  shown: number
  /** Undefined: more than were shown. */
  total: number | undefined
}

/**
 * Writes a listing to standard output: a table, or a JSON array, whose items are written as they
 * come.
 */
export async function writeList<Item>(
  list: (pageSize: number) => Listed<Item>,
  { limit, json, text }: ListOptions<Item>,
): Promise<ListCounts> {
  const write = json ? openArray() : openTable(text)
  const isOnePage = limit !== undefined && limit <= PAGE
  if (isOnePage) {
    const { data, meta } = await list(limit).page()
    for (const item of data) write.item(item)
    write.end()
    return { shown: data.length, total: meta.total }
  }
  let shown = 0
  for await (const item of list(PAGE)) {
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
  if (total === 0) writeMessage('There is nothing.')
  else if (shown !== total) writeMessage(`${shown} of ${total ?? 'more'}; --all shows every one`)
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
