import { Group, Table, Text, VisuallyHidden } from '@mantine/core'
import type { DownloadTotals } from '@stowage/client'
import { dateText, numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { fill, plural } from '../i18n/texts.ts'
import classes from './orders.module.css'

const DAY_MS = 24 * 60 * 60 * 1000
/** In units of the picture, which is stretched to the width of the page. */
const STEP = 10
const HEIGHT = 100

/** One bar for each day. Screen readers get the days with downloads as a table. */
export function DownloadChart({ totals: { data, meta } }: { totals: DownloadTotals }) {
  const counts = new Map(data.map(({ day, downloads }) => [day, downloads]))
  const days = daysFrom(meta.from, meta.to)
  const most = Math.max(1, ...counts.values())
  const total = data.reduce((sum, { downloads }) => sum + downloads, 0)
  return (
    <figure className={classes.chart}>
      <Text component="figcaption" size="sm" mb="xs">
        {fill(texts.between, {
          downloads: plural(texts.downloadCount, total),
          from: dayText(meta.from),
          to: dayText(meta.to),
        })}
      </Text>
      <Text size="xs" c="dimmed" aria-hidden>
        {numberText(most)}
      </Text>
      <svg viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {days.map((day, index) => {
          const count = counts.get(day) ?? 0
          const height = (count / most) * HEIGHT
          return (
            // The transparent part also shows the number.
            <g key={day}>
              <title>
                {fill(texts.onDay, {
                  day: dayText(day),
                  downloads: plural(texts.downloadCount, count),
                })}
              </title>
              <rect x={index * STEP} width={STEP} height={HEIGHT} fill="transparent" />
              <rect
                className={classes.bar}
                x={index * STEP + 1}
                y={HEIGHT - height}
                width={STEP - 2}
                height={height}
              />
            </g>
          )
        })}
      </svg>
      <Group justify="space-between" aria-hidden>
        <Text size="xs" c="dimmed">
          {dayText(meta.from)}
        </Text>
        <Text size="xs" c="dimmed">
          {dayText(meta.to)}
        </Text>
      </Group>
      {data.length > 0 && (
        <VisuallyHidden>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.day}</Table.Th>
                <Table.Th>{texts.downloads}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ day = '', downloads }) => (
                <Table.Tr key={day}>
                  <Table.Td>{dayText(day)}</Table.Td>
                  <Table.Td>{numberText(downloads)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </VisuallyHidden>
      )}
    </figure>
  )
}

/** The service counts by days in UTC. */
function daysFrom(from: string, to: string): string[] {
  const start = Date.parse(`${from}T00:00:00Z`)
  const count = Math.round((Date.parse(`${to}T00:00:00Z`) - start) / DAY_MS) + 1
  return Array.from({ length: count }, (_, at) =>
    new Date(start + at * DAY_MS).toISOString().slice(0, 10),
  )
}

/** At noon in the time zone of the reader, it is the same day. */
function dayText(day: string): string {
  return dateText(new Date(`${day}T12:00:00`), 'day')
}
