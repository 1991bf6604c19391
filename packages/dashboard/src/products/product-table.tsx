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
import { countText } from '../format/count-text.ts'
import { ProductTags } from './product-tags.tsx'

export type ListedProduct = Awaited<ReturnType<Client['product']>>

interface Props {
  /** Undefined: the first ones are on their way. */
  products: readonly ListedProduct[] | undefined
  /** What is shown is not what was asked for last. */
  isStale: boolean
  /** Undefined: none can be deleted. */
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
      rowToCome={(width) => <RowToCome width={width} />}
    />
  )
}

interface RowProps extends Pick<Props, 'onDelete'> {
  product: ListedProduct
}

/** On a phone what the columns say goes below the name. */
const ProductRow = memo(function ProductRow({ product, onDelete }: RowProps) {
  const { id, name, variant_name, sku, vendor, tags, assets = [], assets_total = 0 } = product
  const few = [variant_name, sku].filter((text) => text !== '').join(' · ')
  return (
    <Table.Tr>
      <Table.Td maw={0} w="100%" miw={160}>
        <Anchor
          component={Link}
          href={`/products/${id}`}
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
        >
          <Name>{name}</Name>
        </Anchor>
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          {few !== '' && <Name>{few}</Name>}
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
        <ProductTags tags={tags} most={2} />
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
          and {countText(total - 1, 'more', 'more')}
        </Text>
      )}
    </Box>
  )
}

function RowToCome({ width }: { width: number }) {
  const cell = (columns: 'sm' | 'md', length: number) => (
    <Table.Td visibleFrom={columns}>
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
