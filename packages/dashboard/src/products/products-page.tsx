import { Button, Group, Stack, Title, VisuallyHidden } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { NoMatch } from '../components/empty-state.tsx'
import { Problem } from '../components/error-alert.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { useTitle } from '../components/use-title.ts'
import { useAddressQuery } from '../components/use-url-query.ts'
import { countText } from '../format/count-text.ts'
import { May, useMay } from '../session/require-scope.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { FirstProducts } from './first-products.tsx'
import { ProductFilters } from './product-filters.tsx'
import { activeFilters, NO_FILTERS, productsAddress, readProductQuery } from './product-query.ts'
import { type ListedProduct, ProductTable } from './product-table.tsx'
import { useProductPage } from './use-products.ts'

export function ProductsPage() {
  useTitle('Products')
  const { query, change } = useAddressQuery(readProductQuery, productsAddress)
  const { data, error, isPlaceholderData, refetch } = useProductPage(query)
  const [doomed, setDoomed] = useState<ListedProduct>()
  const mayWrite = useMay('write')
  const total = data?.meta.total
  const last = data?.meta.last_page ?? 1
  const isFiltered = activeFilters(query).length > 0

  useEffect(() => {
    // The last of a page was deleted, or the address is old.
    if (!isPlaceholderData && query.page > last && data !== undefined) {
      change({ page: last }, { replace: true })
    }
  }, [query.page, last, data, isPlaceholderData, change])

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Products
        </Title>
        <May scope="write">
          <Button
            component={Link}
            href="/products/import"
            leftSection={<IconFileImport size={18} aria-hidden />}
          >
            Import
          </Button>
        </May>
      </Group>
      {(total !== 0 || isFiltered) && <ProductFilters query={query} change={change} />}
      <VisuallyHidden role="status">
        {isFiltered &&
          data !== undefined &&
          !isPlaceholderData &&
          `${countText(data.meta.total, 'product')} found`}
      </VisuallyHidden>
      {error !== null && (
        <Problem title="Products can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title="No product matches" onClear={() => change(NO_FILTERS)} />
      )}
      {error === null && total === 0 && !isFiltered && <FirstProducts />}
      {error === null && total !== 0 && (
        <ProductTable
          products={data?.data}
          isStale={isPlaceholderData}
          onDelete={mayWrite ? setDoomed : undefined}
        />
      )}
      {data !== undefined && total !== 0 && error === null && (
        <PageLinks
          label="Pages of products"
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => productsAddress({ ...query, page })}
        />
      )}
      <DeleteProduct product={doomed} onClose={() => setDoomed(undefined)} />
    </Stack>
  )
}
