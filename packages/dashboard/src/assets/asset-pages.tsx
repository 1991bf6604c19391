import { Group, Pagination, Text } from '@mantine/core'
import { Link } from 'wouter'
import { numberText } from '../format/size-text.ts'
import { type AssetQuery, assetsAddress } from './asset-query.ts'

interface Props {
  query: AssetQuery
  meta: { from: number; to: number; total: number; last_page: number }
}

const CONTROL_WORDS = {
  first: 'First page',
  previous: 'Previous page',
  next: 'Next page',
  last: 'Last page',
}

/** Each page is an address: it can be opened in a tab of its own. */
export function AssetPages({ query, meta }: Props) {
  const { from, to, total, last_page } = meta
  const linkTo = (page: number) => ({
    component: Link,
    href: assetsAddress({ ...query, page: Math.min(last_page, Math.max(1, page)) }),
  })
  const STEPS = { first: 1, previous: query.page - 1, next: query.page + 1, last: last_page }
  return (
    <Group justify="space-between" component="nav" aria-label="Pages of assets">
      <Text size="sm" c="dimmed">
        {numberText(from)} to {numberText(to)} of {numberText(total)}
      </Text>
      {last_page > 1 && (
        <Pagination
          total={last_page}
          value={query.page}
          size="sm"
          getItemProps={(page) => ({ ...linkTo(page), 'aria-label': `Page ${numberText(page)}` })}
          getControlProps={(control) => ({
            ...linkTo(STEPS[control]),
            'aria-label': CONTROL_WORDS[control],
          })}
        />
      )}
    </Group>
  )
}
