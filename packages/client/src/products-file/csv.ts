export interface CsvRecord {
  /** The line where the record starts, from 1. */
  line: number
  fields: string[]
  /** The problem with its quotes, if any. */
  problem?: string
}

const DELIMITERS = [',', ';', '\t'] as const

/**
 * Reads CSV (RFC 4180) and its common variants: commas, semicolons or tabs, any line ends, quoted fields
 * with line breaks. Skips empty lines. An unclosed quote results in a last record with a problem.
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
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").'

interface Quoted {
  value: string
  /** The position after the closing quote. */
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
      return {
        value,
        end: text.length,
        problem: 'The line opens a quote (") that is never closed.',
      }
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

/** Returns the delimiter that occurs most often in the header. Column names contain no delimiters. */
function guessDelimiter(text: string): string {
  const header = /^.*/.exec(text)?.[0] ?? ''
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best))
}
