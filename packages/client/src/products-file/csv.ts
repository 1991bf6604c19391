export interface CsvRecord {
  /** Where it begins, counted from 1, as editors count. */
  line: number
  fields: string[]
  /** What is wrong with its quotes. */
  problem?: string
}

const DELIMITERS = [',', ';', '\t'] as const

/**
 * Reads RFC 4180 as people meet it: commas, semicolons or tabs, any line ends, quoted fields that go
 * on over lines. Empty lines are left out. Quotes that are never closed make one last record with a
 * problem, not an error.
 */
export function* readCsv(text: string): Generator<CsvRecord> {
  const delimiter = guessDelimiter(text)
  const endOfField = new RegExp(`[${delimiter}\r\n]`, 'g')
  let at = 0
  let line = 1
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] }
    let isLast = false
    while (!isLast) {
      const field = text[at] === '"' ? readQuoted(text, at) : { value: '', end: at }
      endOfField.lastIndex = field.end
      const end = endOfField.exec(text)?.index ?? text.length
      const rest = text.slice(field.end, end)
      const problem = field.problem ?? (field.end > at && rest.trim() !== '' && AFTER_QUOTE)
      if (problem) record.problem ??= problem
      line += countLines(field.value)
      record.fields.push(field.end > at ? field.value : rest)
      isLast = text[end] !== delimiter
      at = end + 1
      if (isLast && text[end] === '\r' && text[at] === '\n') at++
    }
    line++
    if (record.problem || record.fields.some((value) => value !== '')) yield record
  }
}

const AFTER_QUOTE =
  'has text after a closing quote: a quote inside of quotes must be written twice ("")'

interface Quoted {
  value: string
  /** Behind the closing quote. */
  end: number
  problem?: string
}

function readQuoted(text: string, start: number): Quoted {
  let from = start + 1
  let value = ''
  while (true) {
    const quote = text.indexOf('"', from)
    if (quote === -1) {
      value += text.slice(from)
      return { value, end: text.length, problem: 'opens a quote (") that is never closed' }
    }
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { value, end: quote + 1 }
    value += '"'
    from = quote + 2
  }
}

function countLines(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0
}

/** The one that the header has most of. Names of columns don't contain them. */
function guessDelimiter(text: string): string {
  const header = /^.*/.exec(text)?.[0] ?? ''
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best))
}
