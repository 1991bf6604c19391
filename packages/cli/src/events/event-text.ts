import type { StowageEvent } from '@stowage/client'
import { tableWidth } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Column, table } from '../text/table.ts'

const COLUMNS: Column[] = [
  { head: 'ID', align: 'right', dropOrder: 2 },
  { head: 'TIME', dropOrder: 3 },
  { head: 'TYPE' },
  { head: 'BY', minWidth: 10, dropOrder: 1 },
  { head: 'NAME', minWidth: 16 },
]

export function eventTable(events: StowageEvent[]): string {
  return table(COLUMNS, events.map(cellsOf), { columns: tableWidth() })
}

/** The widths of ID, TIME, TYPE and BY. Every time and type fits, and most IDs and actors. */
const WIDTHS = [10, 19, 19, 16]

/** Formats one event, in the columns of the table but with fixed widths. */
export function eventLine(event: StowageEvent): string {
  const [id = '', ...others] = cellsOf(event).map(sanitize)
  const cells = [id.padStart(WIDTHS[0] ?? 0), ...others]
  return cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join('  ')
}

function cellsOf({ id, type, created_at, actor, data }: StowageEvent): string[] {
  const time = created_at.slice(0, 19).replace('T', ' ')
  const by = actor.name === null ? actor.type : `${actor.type} ${actor.name}`
  return [String(id), time, type, by, 'filename' in data ? data.filename : nameOf(data)]
}

function nameOf(data: object): string {
  if ('name' in data) return String(data.name)
  // A webhook, or an upload token that pages of one origin may use.
  return 'origin' in data ? String(data.origin ?? '') : ''
}
