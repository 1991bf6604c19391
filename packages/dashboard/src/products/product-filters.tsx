import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useCallback } from 'react'
import { FilterInput } from '../components/filter-input.tsx'
import { IconFilter, IconSearch } from '../icons/icons.ts'
import classes from './product-filters.module.css'
import { activeFilters, type ProductFilter, type ProductQuery } from './product-query.ts'

interface Props {
  query: ProductQuery
  change(changes: Partial<ProductQuery>, options: { replace: boolean }): void
}

const MORE: [ProductFilter, string][] = [
  ['sku', 'Exact SKU'],
  ['vendor', 'Vendor'],
  ['tag', 'Tag'],
]

/** On a phone, all filters but the search are hidden behind a button. */
export function ProductFilters({ query, change }: Props) {
  const active = activeFilters(query).filter((filter) => filter !== 'search').length
  const [isOpen, { toggle }] = useDisclosure(active > 0)
  return (
    <Group gap="sm" component="search">
      <Filter
        filter="search"
        label="Search products"
        isMain
        query={query}
        change={change}
        flex={1}
        miw={180}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Button
        hiddenFrom="sm"
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={toggle}
      >
        {active > 0 ? `Filters: ${active}` : 'Filters'}
      </Button>
      <div id="more-filters" className={classes.more} data-open={isOpen || undefined}>
        {MORE.map(([filter, label]) => (
          <Filter key={filter} filter={filter} label={label} query={query} change={change} />
        ))}
      </div>
    </Group>
  )
}

type FilterProps = Props & { filter: ProductFilter; label: string } & Omit<
    Parameters<typeof FilterInput>[0],
    'value' | 'onValue'
  >

function Filter({ filter, query, change, ...props }: FilterProps) {
  const onValue = useCallback(
    (value: string, isFirst: boolean) => change({ [filter]: value }, { replace: !isFirst }),
    [change, filter],
  )
  return <FilterInput value={query[filter]} onValue={onValue} {...props} />
}
