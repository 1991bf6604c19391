import { ActionIcon, Box, Button, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import type { Product, ProductGroup } from '@stowage/client'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useVariants } from '../assets/product-search.ts'
import { FilterInput } from '../components/filters.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { ErrorAlert } from '../components/page-states.tsx'
import { Section } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { countText, numberText } from '../format.ts'
import { IconSearch, IconTrash } from '../icons/icons.tsx'
import { useHasScope } from '../session/account.tsx'
import { DeleteVariant } from './delete-product.tsx'
import classes from './product-page.module.css'

/** With at least this many variants, the page has a search field. */
const MIN_SEARCHED = 10
/** How many variants are shown at first, and added by each click on “Show more”. */
const STEP = 100

interface Props {
  product: ProductGroup
  /** The variant in the URL. */
  current: Product
}

/** The variants of a product. The list stays short, whatever their number. */
export function ProductVariants({ product, current }: Props) {
  const { variants_total: total } = product
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState(STEP)
  const [deleting, setDeleting] = useState<Product>()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useVariants(product, search)
  // Until all variants are loaded, the page shows the first ones.
  const { variants, total: found } = data ?? { variants: product.variants, total }
  // The only remaining variant cannot be deleted alone, only with the product.
  const canDelete = useHasScope('write') && total > 1
  const onSearch = (text: string) => {
    setSearch(text)
    setShown(STEP)
  }
  const onDeleted = ({ id }: Product) => {
    const next = product.variants.find((variant) => variant.id !== id)
    // The URL of the page must be that of a variant that exists.
    if (id === current.id && next) navigate(`/products/${next.id}`, { replace: true })
  }
  return (
    <Section title={total === 1 ? 'Variant' : countText(total, 'variant')}>
      {total >= MIN_SEARCHED && (
        <FilterInput
          label="Search variants"
          value={search}
          onValue={onSearch}
          leftSection={<IconSearch size={16} aria-hidden />}
          mb="xs"
        />
      )}
      {error !== null && (
        <ErrorAlert title="Could not load the variants" error={error} onRetry={refetch} />
      )}
      {/* While it has the focus, the arrow keys scroll it. */}
      <Box mah={360} style={{ overflowY: 'auto' }} tabIndex={0}>
        <Table verticalSpacing={6} horizontalSpacing={6} fz="sm" className={classes.variants}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="60%">Name and ID</Table.Th>
              <Table.Th>SKU</Table.Th>
              {canDelete && (
                <Table.Th w={56}>
                  <VisuallyHidden>Delete</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.slice(0, shown).map((variant) => (
              <VariantRow
                key={variant.id}
                variant={variant}
                onDelete={canDelete ? setDeleting : undefined}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <Text c="dimmed" size="sm" mt="xs" role="status">
        {statusText({ shown: Math.min(shown, variants.length), found, isSearched: search !== '' })}
      </Text>
      {variants.length > shown && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setShown(shown + STEP)}>
          Show more
        </Button>
      )}
      <DeleteVariant variant={deleting} onClose={() => setDeleting(undefined)} onDone={onDeleted} />
    </Section>
  )
}

interface RowProps {
  variant: Product
  /** Undefined if the variant cannot be deleted. */
  onDelete: ((variant: Product) => void) | undefined
}

function VariantRow({ variant, onDelete }: RowProps) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const { variant_name, sku, variant_id } = variant
  return (
    <Table.Tr ref={row}>
      <Table.Td>
        {variant_name !== '' && <Name>{variant_name}</Name>}
        <Text size="xs" c="dimmed">
          {variant_id}
        </Text>
      </Table.Td>
      <Table.Td>
        <Name>{sku}</Name>
      </Table.Td>
      {onDelete && (
        <Table.Td>
          <Tooltip label="Delete variant">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete variant ${variant_name || variant_id}`}
              onClick={() => onDelete(variant)}
            >
              <IconTrash size={18} stroke={1.5} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Table.Td>
      )}
    </Table.Tr>
  )
}

interface Counts {
  shown: number
  found: number
  isSearched: boolean
}

function statusText({ shown, found, isSearched }: Counts): string {
  if (found === 0) return 'No matching variants'
  if (shown < found) return `Showing ${numberText(shown)} of ${countText(found, 'variant')}`
  return isSearched ? countText(found, 'variant') : ''
}
