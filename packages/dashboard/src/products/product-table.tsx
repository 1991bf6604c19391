import {
  ActionIcon,
  Anchor,
  Box,
  Skeleton,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import type { Client } from '@stowage/client'
import { IconTrash } from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { ListTable } from '../components/list-table.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText, numberText } from '../format/count-text.ts'
import { ProductTags } from './product-tags.tsx'

export type ListedProduct = Awaited<ReturnType<Client['product']>>

interface Props {
  /** Undefined while the first page is loading. */
  products: readonly ListedProduct[] | undefined
  /** The products belong to the previous query, and the current one is loading. */
  isStale: boolean
  /** Undefined if products cannot be deleted. */
  onDelete: ((product: ListedProduct) => void) | undefined
}

export function ProductTable({ products, isStale, onDelete }: Props) {
  return (
    <ListTable
      items={products}
      isStale={isStale}
      head={
        <>
          <Table.Th>Product</Table.Th>
          <Table.Th visibleFrom="sm">SKU</Table.Th>
          <Table.Th visibleFrom="md">Vendor</Table.Th>
          <Table.Th visibleFrom="md">Tags</Table.Th>
          <Table.Th visibleFrom="sm">Assets</Table.Th>
          {onDelete && (
            <Table.Th w={44}>
              <VisuallyHidden>Delete</VisuallyHidden>
            </Table.Th>
          )}
        </>
      }
      row={(product) => <ProductRow key={product.id} product={product} onDelete={onDelete} />}
      skeletonRow={(width) => <SkeletonRow width={width} />}
    />
  )
}

interface RowProps extends Pick<Props, 'onDelete'> {
  product: ListedProduct
}

/** On a phone, the contents of the other columns are below the name. */
const ProductRow = memo(function ProductRow({ product, onDelete }: RowProps) {
  const { id, name, variant_name, sku, vendor, tags, assets = [], assets_total = 0 } = product
  const row = useFocusHandover<HTMLTableRowElement>()
  const summary = [variant_name, sku].filter((text) => text !== '').join(' · ')
  return (
    <Table.Tr ref={row}>
      <Table.Td maw={0} w="100%" miw={160}>
        <Anchor
          component={Link}
          href={`/products/${id}`}
          data-row-link
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
        >
          <Name>{name}</Name>
        </Anchor>
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          {summary !== '' && <Name>{summary}</Name>}
          {countText(assets_total, 'asset')}
        </Box>
        {variant_name !== '' && (
          <Box visibleFrom="sm" fz="xs" c="dimmed">
            <Name>{variant_name}</Name>
          </Box>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={160}>
        <Name>{sku}</Name>
      </Table.Td>
      <Table.Td visibleFrom="md" maw={160}>
        <Name>{vendor}</Name>
      </Table.Td>
      <Table.Td visibleFrom="md" maw={240}>
        <ProductTags tags={tags} max={2} />
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={200}>
        <AssetNames assets={assets} total={assets_total} />
      </Table.Td>
      {onDelete && (
        <Table.Td w={44}>
          <Tooltip label="Delete">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete ${name}`}
              onClick={() => onDelete(product)}
            >
              <IconTrash size={18} stroke={1.5} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Table.Td>
      )}
    </Table.Tr>
  )
})

function AssetNames({
  assets,
  total,
}: {
  assets: NonNullable<ListedProduct['assets']>
  total: number
}) {
  const [first] = assets
  if (first === undefined) {
    return (
      <Text inherit c="dimmed">
        None
      </Text>
    )
  }
  return (
    <Box title={assets.map(({ filename }) => filename).join('\n')}>
      <Anchor component={Link} href={`/assets/${first.id}`} inherit display="block">
        <Name>{first.filename}</Name>
      </Anchor>
      {total > 1 && (
        <Text size="xs" c="dimmed">
          and {numberText(total - 1)} more
        </Text>
      )}
    </Box>
  )
}

function SkeletonRow({ width }: { width: number }) {
  const cell = (breakpoint: 'sm' | 'md', length: number) => (
    <Table.Td visibleFrom={breakpoint}>
      <Skeleton w={length} h={16} />
    </Table.Td>
  )
  return (
    <Table.Tr>
      <Table.Td w="100%">
        <Skeleton w={`${width}%`} h={16} my={3} />
      </Table.Td>
      {cell('sm', 90)}
      {cell('md', 90)}
      {cell('md', 120)}
      {cell('sm', 120)}
      <Table.Td w={44} />
    </Table.Tr>
  )
}
