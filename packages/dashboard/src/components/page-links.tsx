import { Group, Pagination, Text } from '@mantine/core'
import { Link } from 'wouter'
import { numberText } from '../format/count-text.ts'

interface Props {
  /** For screen readers, such as "Pages of assets". */
  label: string
  /** The requested page, which may still be loading. */
  current: number
  meta: { from: number; to: number; total: number; last_page: number }
  hrefOf(page: number): string
}

const CONTROL_LABELS = {
  first: 'First page',
  previous: 'Previous page',
  next: 'Next page',
  last: 'Last page',
}

/** Every page has a URL, so that it can be opened in another tab. */
export function PageLinks({ label, current, meta, hrefOf }: Props) {
  const { from, to, total, last_page: last } = meta
  const linkTo = (page: number) => ({
    component: Link,
    href: hrefOf(Math.min(last, Math.max(1, page))),
  })
  const targets = { first: 1, previous: current - 1, next: current + 1, last }
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
            ...linkTo(targets[control]),
            'aria-label': CONTROL_LABELS[control],
          })}
        />
      )}
    </Group>
  )
}
