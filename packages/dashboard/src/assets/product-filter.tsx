import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { FilterPill } from '../components/filter-pill.tsx'
import { IconTag } from '../icons/icons.ts'
import { useClient } from '../session/session.tsx'

/** Loaded when it is opened. */
const ChooseProduct = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.ChooseProduct })),
)

/** Opens a dialog to choose the product whose assets the list shows. */
export function ProductFilterButton({ onChoose }: { onChoose(productId: number): void }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTag size={16} aria-hidden />}
        aria-label="Filter by product"
        onClick={open}
      >
        Product
      </Button>
      <Suspense>{isOpen && <ChooseProduct onChoose={onChoose} onClose={close} />}</Suspense>
    </>
  )
}

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
