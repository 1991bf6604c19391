import { Group, Pagination, Text } from '@mantine/core'
import { Link } from 'wouter'
import { numberText } from '../format/count-text.ts'

interface Props {
  /** What there are pages of. */
  label: string
  /** The one that was asked for: its answer may be on its way. */
  current: number
  meta: { from: number; to: number; total: number; last_page: number }
  hrefOf(page: number): string
}

const CONTROL_WORDS = {
  first: 'First page',
  previous: 'Previous page',
  next: 'Next page',
  last: 'Last page',
}

/** Each page is an address: it can be opened in a tab of its own. */
export function PageLinks({ label, current, meta, hrefOf }: Props) {
  const { from, to, total, last_page: last } = meta
  const linkTo = (page: number) => ({
    component: Link,
    href: hrefOf(Math.min(last, Math.max(1, page))),
  })
  const steps = { first: 1, previous: current - 1, next: current + 1, last }
  return (
    <Group justify="space-between" component="nav" aria-label={label}>
      <Text size="sm" c="dimmed">
        {numberText(from)} to {numberText(to)} of {numberText(total)}
      </Text>
      {last > 1 && (
        <Pagination
          total={last}
          value={current}
          size="sm"
          getItemProps={(page) => ({ ...linkTo(page), 'aria-label': `Page ${numberText(page)}` })}
          getControlProps={(control) => ({
            ...linkTo(steps[control]),
            'aria-label': CONTROL_WORDS[control],
          })}
        />
      )}
    </Group>
  )
}
