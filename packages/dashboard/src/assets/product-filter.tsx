import { useQuery } from '@tanstack/react-query'
import { FilterPill } from '../components/filter-pill.tsx'
import { useClient } from '../session/session.tsx'

interface Props {
  productId: number
  onClear(): void
}

/** Shows that the list has the assets of one product only. */
export function ProductFilter({ productId, onClear }: Props) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['products', 'name', productId],
    queryFn: ({ signal }) =>
      client.productGroups({ product_id: productId, limit: 1, signal }).page(),
  })
  return (
    <FilterPill label="Product" clearLabel="Show the assets of all products" onClear={onClear}>
      {data?.data[0]?.name ?? `${productId}`}
    </FilterPill>
  )
}
