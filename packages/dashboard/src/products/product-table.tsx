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
import type { ProductGroup } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { ListTable } from '../components/list-table.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { IconTrash } from '../icons/icons.ts'
import { ProductTags } from './product-tags.tsx'

interface Props {
  /** Undefined while the first page is loading. */
  products: readonly ProductGroup[] | undefined
  /** The products belong to the previous query, and the current one is loading. */
  isStale: boolean
  /** Undefined if products cannot be deleted. */
  onDelete: ((product: ProductGroup) => void) | undefined
}

/** One row per product, whatever the number of its variants. */
export function ProductTable({ products, isStale, onDelete }: Props) {
  return (
    <ListTable
      items={products}
      isStale={isStale}
      head={
        <>
          <Table.Th>Product</Table.Th>
          <Table.Th visibleFrom="sm">SKU or variants</Table.Th>
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
      row={(product) => (
        <ProductRow key={product.product_id} product={product} onDelete={onDelete} />
      )}
      skeletonRow={(width) => <SkeletonRow width={width} />}
    />
  )
}

interface RowProps extends Pick<Props, 'onDelete'> {
  product: ProductGroup
}

/** On a phone, the SKU or variants and the number of assets are below the name; vendor and tags are hidden. */
const ProductRow = memo(function ProductRow({ product, onDelete }: RowProps) {
  const { name, vendor, tags, variants, variants_total: total } = product
  const row = useFocusHandover<HTMLTableRowElement>()
  const [first] = variants
  const variantText =
    total > 1
      ? countText(total, 'variant')
      : [first?.variant_name, first?.sku].filter(Boolean).join(' · ')
  return (
    <Table.Tr ref={row}>
      <Table.Td maw={0} w="100%" miw={160}>
        <Anchor
          component={Link}
          href={`/products/${first?.id}`}
          data-row-link
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
        >
          <Name>{name}</Name>
        </Anchor>
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          {variantText !== '' && <Name>{variantText}</Name>}
          {assetCountText(product)}
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={200}>
        <Name>{variantText}</Name>
      </Table.Td>
      <Table.Td visibleFrom="md" maw={160}>
        <Name>{vendor}</Name>
      </Table.Td>
      <Table.Td visibleFrom="md" maw={240}>
        <ProductTags tags={tags} max={2} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text inherit {...(product.assets_total === 0 && { c: 'dimmed' })}>
          {assetCountText(product)}
        </Text>
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

/** If there are very many attachments, the service does not count them. */
function assetCountText({ assets_total: total }: ProductGroup): string {
  if (total === 0) return 'No assets'
  return typeof total === 'number' ? countText(total, 'asset') : 'Many assets'
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
      {cell('sm', 70)}
      <Table.Td w={44} />
    </Table.Tr>
  )
}
