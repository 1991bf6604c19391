import type { Result } from './result.ts'

/** The page with the tables of these results between their marks. A result without marks is an error. */
export function renderPage(page: string, results: Map<string, Result>): string {
  let text = page
  for (const [name, result] of results) {
    const begin = `<!-- result: ${name} -->\n`
    const end = `<!-- end: ${name} -->`
    const from = text.indexOf(begin)
    const to = text.indexOf(end)
    if (from < 0 || to < from) throw new Error(`the page has no marks for the result ${name}`)
    text = text.slice(0, from + begin.length) + table(result) + text.slice(to)
  }
  return text
}

function table({ command, rows }: Result): string {
  const lines = Object.entries(rows).map(([what, value]) => `| ${what} | ${value} |`)
  return ['', '```sh', command, '```', '', '| What | Result |', '|---|---|', ...lines, '', ''].join(
    '\n',
  )
}
