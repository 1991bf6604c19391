import { Button, Group, Stack, Title } from '@mantine/core'
import type { ProductGroup } from '@stowage/client'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ErrorAlert } from '../components/error-alert.tsx'
import { NoMatch } from '../components/no-match.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { ResultCount } from '../components/result-count.tsx'
import { useRestoredScroll } from '../components/use-restored-scroll.ts'
import { useTitle } from '../components/use-title.ts'
import { useUrlQuery } from '../components/use-url-query.ts'
import { IconFileImport } from '../icons/icons.ts'
import { RequireScope, useHasScope } from '../session/require-scope.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { FirstProducts } from './first-products.tsx'
import { ProductFilters } from './product-filters.tsx'
import { activeFilters, NO_FILTERS, productsUrl, readProductQuery } from './product-query.ts'
import { ProductTable } from './product-table.tsx'
import { useProductPage } from './use-products.ts'

export function ProductsPage() {
  useTitle('Products')
  const { query, change } = useUrlQuery(readProductQuery, productsUrl)
  const { data, error, isPlaceholderData, refetch } = useProductPage(query)
  const [deleting, setDeleting] = useState<ProductGroup>()
  const canWrite = useHasScope('write')
  const total = data?.meta.total
  const last = data?.meta.last_page ?? 1
  const isFiltered = activeFilters(query).length > 0

  useEffect(() => {
    // All products of the last page were deleted, or the URL is old.
    if (!isPlaceholderData && query.page > last && data !== undefined) {
      change({ page: last }, { replace: true })
    }
  }, [query.page, last, data, isPlaceholderData, change])

  useRestoredScroll('/products', data !== undefined)

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Products
        </Title>
        <RequireScope scope="write">
          <Button
            component={Link}
            href="/products/import"
            leftSection={<IconFileImport size={18} aria-hidden />}
          >
            Import
          </Button>
        </RequireScope>
      </Group>
      {(total !== 0 || isFiltered) && <ProductFilters query={query} change={change} />}
      <ResultCount
        total={isPlaceholderData ? undefined : total}
        noun="product"
        isFiltered={isFiltered}
      />
      {error !== null && (
        <ErrorAlert
          title="Could not load the products"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title="No matching products" onClear={() => change(NO_FILTERS)} />
      )}
      {error === null && total === 0 && !isFiltered && <FirstProducts />}
      {error === null && total !== 0 && (
        <ProductTable
          products={data?.data}
          isStale={isPlaceholderData}
          onDelete={canWrite ? setDeleting : undefined}
        />
      )}
      {data !== undefined && total !== 0 && error === null && (
        <PageLinks
          label="Pages of products"
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => productsUrl({ ...query, page })}
        />
      )}
      <DeleteProduct product={deleting} onClose={() => setDeleting(undefined)} />
    </Stack>
  )
}
