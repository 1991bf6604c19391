import type { Result } from './result.ts'

/** Replaces the tables between the markers of each result. Throws if a result has no markers on the page. */
export function renderPage(page: string, results: Map<string, Result>): string {
  let text = page
  for (const [name, result] of results) {
    const begin = `<!-- result: ${name} -->\n`
    const end = `<!-- end: ${name} -->`
    const from = text.indexOf(begin)
    const to = text.indexOf(end)
    if (from < 0 || to < from) throw new Error(`the page has no markers for the result ${name}`)
    text = text.slice(0, from + begin.length) + table(result) + text.slice(to)
  }
  return text
}

function table({ command, rows }: Result): string {
  const lines = Object.entries(rows).map(([metric, value]) => `| ${metric} | ${value} |`)
  return [
    '',
    '```sh',
    command,
    '```',
    '',
    '| Metric | Result |',
    '|---|---|',
    ...lines,
    '',
    '',
  ].join('\n')
}
