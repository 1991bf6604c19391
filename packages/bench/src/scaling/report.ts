import { readFile, writeFile } from 'node:fs/promises'
import { formatSize } from '@stowage/protocol/format'
import { number } from '../report/format.ts'
import type { Cost } from './count-cost.ts'
import type { Deployment, Findings } from './findings.ts'

const PAGE = new URL('../../../../docs/scaling.md', import.meta.url)

/** All tables in Markdown, each under the name of its section in docs/scaling.md. */
export function tablesOf(findings: Findings): string {
  return Object.entries(tables(findings))
    .map(([name, table]) => `${name}\n\n${table}\n`)
    .join('\n')
}

/** Replaces each table in docs/scaling.md; the text around them is written by hand. */
export async function writeTables(findings: Findings): Promise<void> {
  let page = await readFile(PAGE, 'utf8')
  for (const [name, table] of Object.entries(tables(findings))) {
    const [begin, end] = [`<!-- ${name}: made by npm run bench:scaling -->`, `<!-- /${name} -->`]
    const [from, to] = [page.indexOf(begin), page.indexOf(end)]
    if (from < 0 || to < from)
      throw new Error(`docs/scaling.md has no markers for the table ${name}`)
    page = `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`
  }
  await writeFile(PAGE, page)
}

function tables({ small, large, writes, jobs }: Findings): Record<string, string> {
  return {
    costs: costs(large),
    growth: growth(small, large),
    sizes: sizes(large),
    writers: table(
      ['', 'Sessions per second', 'CPU of the instances per session'],
      writes.map(({ name, rates: { sessionsPerSecond, cpuMsEach } }) => [
        name,
        number(sessionsPerSecond),
        `${number(cpuMsEach)} ms`,
      ]),
    ),
    jobs: table(
      ['Job', 'Per second'],
      [
        ['Expire uploads', number(jobs.expiredPerSecond)],
        ['Expire uploads and remove their parts from the disk', number(jobs.removedPerSecond)],
      ],
    ),
  }
}

/** For a shop of average size, in the large database. */
function costs({ shops }: Deployment): string {
  const rows = shops.at(-1)?.costs ?? []
  return table(
    ['Call', 'Statements', 'Rows', 'Blocks of 8 kB', 'Log', 'Database'],
    rows.map(({ name, cost }) => [
      name,
      number(cost.statements),
      number(cost.rows),
      number(cost.blocks),
      formatSize(cost.logBytes),
      `${number(cost.databaseMs)} ms`,
    ]),
  )
}

function growth(small: Deployment, large: Deployment): string {
  const alone = small.shops.at(0)
  const average = large.shops.at(-1)
  const largest = large.shops.at(0)
  if (alone === undefined || average === undefined || largest === undefined) return ''
  const columns = [
    [alone, small],
    [average, large],
    [largest, large],
  ] as const
  const heads = columns.map(
    ([{ shop }, { assets }]) => `A shop of ${number(shop.assets)} among ${number(assets)}`,
  )
  return table(
    ['Response time', ...heads],
    alone.costs.map(({ name }) => [
      name,
      ...columns.map(([{ costs }]) => responseTime(costs, name)),
    ]),
  )
}

function responseTime(costs: { name: string; cost: Cost }[], name: string): string {
  const cost = costs.find((row) => row.name === name)?.cost
  return `${number(cost?.responseMs ?? Number.NaN)} ms`
}

function sizes({ tables: known, assets }: Deployment): string {
  return table(
    ['Table or index', 'Size', 'Each asset'],
    known.map(({ name, bytes }) => [
      `\`${name}\``,
      formatSize(bytes),
      `${number(bytes / assets)} B`,
    ]),
  )
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
