import { readFile, writeFile } from 'node:fs/promises'
import { formatSize } from '@stowage/protocol/format'
import { number } from '../report/format.ts'
import type { Cost } from './count-cost.ts'
import type { Findings, Place } from './main.ts'

const PAGE = new URL('../../../../docs/scaling.md', import.meta.url)

/** All that was found, in Markdown, each table under the name that the page has it by. */
export function tablesOf(findings: Findings): string {
  return Object.entries(tables(findings))
    .map(([name, table]) => `${name}\n\n${table}\n`)
    .join('\n')
}

/** Puts each table in its place in docs/scaling.md; the words around them are written by hand. */
export async function writeTables(findings: Findings): Promise<void> {
  let page = await readFile(PAGE, 'utf8')
  for (const [name, table] of Object.entries(tables(findings))) {
    const [begin, end] = [`<!-- ${name}: made by npm run bench:scaling -->`, `<!-- /${name} -->`]
    const [from, to] = [page.indexOf(begin), page.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`docs/scaling.md has no place for ${name}`)
    page = `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`
  }
  await writeFile(PAGE, page)
}

function tables({ small, large, writing, tidying }: Findings): Record<string, string> {
  return {
    costs: costs(large),
    growth: growth(small, large),
    sizes: sizes(large),
    writers: table(
      ['', 'Sessions a second', 'CPU of the instances, each'],
      writing.map(({ name, writing: { sessionsPerSecond, cpuMsEach } }) => [
        name,
        number(sessionsPerSecond),
        `${number(cpuMsEach)} ms`,
      ]),
    ),
    jobs: table(
      ['What the jobs do', 'A second'],
      [
        ['Uploads that ran out are ended', number(tidying.expiredPerSecond)],
        ['and their parts removed from the disk', number(tidying.removedPerSecond)],
      ],
    ),
  }
}

/** Of a shop of the usual size, in the full database. */
function costs({ shops }: Place): string {
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

function growth(small: Place, large: Place): string {
  const alone = small.shops.at(0)
  const usual = large.shops.at(-1)
  const largest = large.shops.at(0)
  if (alone === undefined || usual === undefined || largest === undefined) return ''
  const places = [
    [alone, small],
    [usual, large],
    [largest, large],
  ] as const
  const heads = places.map(
    ([{ shop }, { assets }]) => `A shop of ${number(shop.assets)} among ${number(assets)}`,
  )
  return table(
    ['Time to the answer', ...heads],
    alone.costs.map(({ name }) => [name, ...places.map(([{ costs }]) => answer(costs, name))]),
  )
}

function answer(costs: { name: string; cost: Cost }[], name: string): string {
  const cost = costs.find((one) => one.name === name)?.cost
  return `${number(cost?.answerMs ?? Number.NaN)} ms`
}

function sizes({ tables: known, assets }: Place): string {
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
