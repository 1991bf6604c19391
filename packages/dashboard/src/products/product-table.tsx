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
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, SortHeader } from '../components/lists.tsx'
import { Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { products as texts } from '../i18n/en/products.ts'
import { useLanguage } from '../i18n/language.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconTrash } from '../icons/icons.tsx'
import { productsUrl, type Sort, type SortField } from './product-query.ts'
import classes from './product-table.module.css'

interface ProductTableProps {
  /** Undefined while the first page is loading. */
  products: readonly ProductGroup[] | undefined
  /** The products belong to the previous query, and the current one is loading. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
  /** The list has only products with variants that have no files. */
  isWithoutFiles: boolean
  /** Undefined if products cannot be deleted. */
  onDelete: ((product: ProductGroup) => void) | undefined
}

/** One row per product, whatever the number of its variants. */
export function ProductTable({
  products,
  isStale,
  sort,
  onSort,
  isWithoutFiles,
  onDelete,
}: ProductTableProps) {
  return (
    <ListTable
      items={products}
      isStale={isStale}
      head={
        <>
          <SortHeader field="name" sort={sort} onSort={onSort}>
            {texts.product}
          </SortHeader>
          <SortHeader field="sku" sort={sort} onSort={onSort} visibleFrom="sm">
            {texts.skuOrVariants}
          </SortHeader>
          <Table.Th visibleFrom="md">{texts.fields.vendor}</Table.Th>
          <Table.Th visibleFrom="md">{texts.fields.tags}</Table.Th>
          <Table.Th visibleFrom="sm">{texts.assets}</Table.Th>
          {onDelete && (
            <Table.Th w={44}>
              <VisuallyHidden>{texts.delete}</VisuallyHidden>
            </Table.Th>
          )}
        </>
      }
      row={(product) => (
        <ProductRow
          key={product.product_id}
          product={product}
          isWithoutFiles={isWithoutFiles}
          onDelete={onDelete}
        />
      )}
      skeletonRow={(width) => <SkeletonRow width={width} />}
    />
  )
}

interface ProductRowProps extends Pick<ProductTableProps, 'isWithoutFiles' | 'onDelete'> {
  product: ProductGroup
}

/** On a phone, the SKU or variants and the number of assets are below the name; vendor and tags are hidden. */
const ProductRow = memo(function ProductRow({
  product,
  isWithoutFiles,
  onDelete,
}: ProductRowProps) {
  useLanguage()
  const { name, vendor, tags, variants, variants_total: total, matching_total: matching } = product
  const assetsText =
    isWithoutFiles && matching !== undefined && matching < total
      ? plural(texts.variantsWithoutAssets, total, { matching: numberText(matching) })
      : assetCountText(product)
  const row = useFocusHandover<HTMLTableRowElement>()
  const [first] = variants
  const variantName = total > 1 ? plural(common.variants, total) : first?.variant_name
  const sku = total > 1 ? undefined : first?.sku
  const variantText = (
    <>
      {variantName && <Name>{variantName}</Name>}
      {sku && <Name isWhole>{sku}</Name>}
    </>
  )
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
          {variantText}
          {assetsText}
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm" miw={200} maw={280}>
        {variantText}
      </Table.Td>
      <Table.Td visibleFrom="md" maw={160}>
        <Name>{vendor}</Name>
      </Table.Td>
      <Table.Td visibleFrom="md" maw={240}>
        <ProductTags tags={tags} max={2} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text inherit {...(product.assets_total === 0 && { c: 'dimmed' })}>
          {assetsText}
        </Text>
      </Table.Td>
      {onDelete && (
        <Table.Td w={44}>
          <Tooltip label={texts.delete}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={fill(texts.deleteNamed, { name })}
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
  if (total === 0) return texts.noAssets
  return typeof total === 'number' ? plural(common.assets, total) : texts.manyAssets
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

interface ProductTagsProps {
  tags: readonly string[]
  /** Shows at most this many tags, in one line. */
  max?: number
}

/** Every tag links to the products that have it. */
export function ProductTags({ tags, max }: ProductTagsProps) {
  const shown = tags.slice(0, max)
  const more = tags.slice(shown.length)
  return (
    <div className={classes.tags} data-single-line={max !== undefined || undefined}>
      {shown.map((tag) => (
        <Link key={tag} href={productsUrl({ tag })} className={classes.tag} title={tag} data-chip>
          <bdi dir="auto">{tag}</bdi>
        </Link>
      ))}
      {more.length > 0 && (
        <span title={more.join('\n')} role="note" aria-label={plural(texts.moreTags, more.length)}>
          +{numberText(more.length)}
        </span>
      )}
    </div>
  )
}
