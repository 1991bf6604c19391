import { formatSize } from '@stowage/protocol/format'
import { formatNumber } from '../report/format.ts'
import type { MixedLoad } from './clients.ts'
import type { MeasuredShop, TableSize } from './deployments.ts'
import type { Cost, JobRates, WriteRates } from './measurements.ts'
import type { LargeTask } from './tasks.ts'

/*
 * The tables of docs/scaling.md, in Markdown.
 */

/** For a shop of average size: the last one. */
export function costs(shops: MeasuredShop[]): string {
  return table(
    ['Call', 'Statements', 'Rows', 'Blocks of 8 kB', 'WAL', 'Database time'],
    (shops.at(-1)?.costs ?? []).map(({ name, cost }) => [
      name,
      formatNumber(cost.statements),
      formatNumber(cost.rows),
      formatNumber(cost.blocks),
      formatSize(cost.walBytes),
      `${formatNumber(cost.databaseMs)} ms`,
    ]),
  )
}

/** The largest shop of a small service, and a shop of average size and the largest one of a large service. */
export function growth(small: MeasuredShop[], large: MeasuredShop[]): string {
  const [alone, average, largest] = [small.at(0), large.at(-1), large.at(0)]
  if (alone === undefined || average === undefined || largest === undefined) return ''
  const columns = [alone, average, largest]
  const heads = columns.map(
    ({ shop, assets }) =>
      `Shop with ${formatNumber(shop.assets)} of ${formatNumber(assets)} assets`,
  )
  return table(
    ['Response time', ...heads],
    alone.costs.map(({ name }) => [
      name,
      ...columns.map((column) => responseTime(column.costs, name)),
    ]),
  )
}

function responseTime(costs: { name: string; cost: Cost }[], name: string): string {
  const cost = costs.find((row) => row.name === name)?.cost
  return `${formatNumber(cost?.responseMs ?? Number.NaN)} ms`
}

export function tasks(measured: LargeTask[]): string {
  const heads = [
    'Task',
    'Number',
    'Time',
    'CPU',
    'Longest call',
    'Last calls / first calls',
    'Others: `/healthz`',
    'Others: read',
    'Others: write',
    'Peak memory',
    'Log',
  ]
  const rows = measured.map((task) => {
    const { waits } = task
    const times = [task.longestMs, waits.health, waits.read, waits.write]
    const [longest = '', ...others] = times.map((ms) => `${formatNumber(ms)} ms`)
    return [
      task.name,
      formatNumber(task.count),
      `${formatNumber(task.seconds)} s`,
      `${formatNumber(task.cpuSeconds)} s`,
      longest,
      task.growth === undefined ? '' : formatNumber(task.growth),
      ...others,
      `${formatNumber(task.megabytes)} MB`,
      `${formatNumber(task.logMegabytes)} MB`,
    ]
  })
  return table(heads, rows)
}

export function clients(loads: MixedLoad[]): string {
  const heads = ['Clients', 'Calls per second', 'CPU', 'Median', '99th percentile', 'Peak memory']
  const rows = loads.map(({ clients, perSecond, cpuMs, p50Ms, p99Ms, megabytes }) => [
    `${clients}`,
    formatNumber(perSecond),
    `${formatNumber(cpuMs)} ms`,
    `${formatNumber(p50Ms)} ms`,
    `${formatNumber(p99Ms)} ms`,
    `${formatNumber(megabytes)} MB`,
  ])
  return table(heads, rows)
}

export function sizes(known: TableSize[], assets: number): string {
  return table(
    ['Table or index', 'Size', 'Per asset'],
    known.map(({ name, bytes }) => [
      `\`${name}\``,
      formatSize(bytes),
      `${formatNumber(bytes / assets)} B`,
    ]),
  )
}

/** The tables before and after the large tasks. */
export function vacuum(before: TableSize[], after: TableSize[]): string {
  const earlier = new Map(before.map((size) => [size.name, size]))
  return table(
    ['Table', 'Size before', 'Size after', 'Rows', 'Dead rows', 'Vacuums'],
    after
      .filter(({ isIndex }) => !isIndex)
      .map(({ name, bytes, liveRows, deadRows, vacuums }) => [
        `\`${name}\``,
        formatSize(earlier.get(name)?.bytes ?? 0),
        formatSize(bytes),
        formatNumber(liveRows),
        formatNumber(deadRows),
        formatNumber(vacuums - (earlier.get(name)?.vacuums ?? 0)),
      ]),
  )
}

export function writers(measured: { name: string; rates: WriteRates }[]): string {
  return table(
    ['', 'Sessions per second', 'CPU of the instances per session'],
    measured.map(({ name, rates: { sessionsPerSecond, cpuMsPerSession } }) => [
      name,
      formatNumber(sessionsPerSecond),
      `${formatNumber(cpuMsPerSession)} ms`,
    ]),
  )
}

export function jobs({ expiredPerSecond, removedPerSecond }: JobRates): string {
  const rows = [
    ['Expire uploads', formatNumber(expiredPerSecond)],
    ['Expire uploads and remove their parts from the disk', formatNumber(removedPerSecond)],
  ]
  return table(['Job', 'Per second'], rows)
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
