import {
  ActionIcon,
  Anchor,
  Box,
  Button,
  Group,
  Stack,
  Table,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import type { Product, ProductGroup } from '@stowage/client'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useVariants } from '../assets/product-search.ts'
import { FilterInput } from '../components/filters.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { BackLink, listUrl, RETURN_STATE } from '../components/list-position.tsx'
import { useTitle } from '../components/page.tsx'
import { ErrorAlert } from '../components/page-states.tsx'
import { Detail, DetailList, LoadedRecord, Section, TwoColumns } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { products as texts } from '../i18n/en/products.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconSearch, IconTrash } from '../icons/icons.tsx'
import { ShareButton } from '../orders/on-demand.tsx'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useUploads } from '../uploads/uploads.tsx'
import { DeleteProduct, DeleteVariant } from './delete-product.tsx'
import { ProductAssets } from './product-assets.tsx'
import classes from './product-page.module.css'
import { productsUrl } from './product-query.ts'
import { ProductTags } from './product-table.tsx'
import { type LoadedProduct, useProduct } from './use-products.ts'

/** The page of a product. `id` is the ID of one of its variants. */
export function ProductPage({ id }: { id: string }) {
  const product = useProduct(id)
  useTitle(product.data?.group.name ?? texts.product)
  return (
    <Stack gap="md">
      <BackLink list="/products">{texts.allProducts}</BackLink>
      <LoadedRecord query={product} kind="product" notFoundText={texts.notFoundHint}>
        {(loaded) => <ProductContent {...loaded} />}
      </LoadedRecord>
    </Stack>
  )
}

function ProductContent({ variant, group: product }: LoadedProduct) {
  const [isDeleting, setDeleting] = useState(false)
  const [, navigate] = useLocation()
  useDropTarget(product)
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <div className={classes.heading}>
          <Title order={1} size="h2">
            <bdi dir="auto">{product.name}</bdi>
          </Title>
        </div>
        <Group gap="xs">
          <ShareButton product={product} />
          <RequireScope scope="write">
            <Button
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={18} aria-hidden />}
              onClick={() => setDeleting(true)}
            >
              {texts.delete}
            </Button>
          </RequireScope>
        </Group>
      </Group>
      <TwoColumns>
        <ProductAssets product={product} variantId={variant.id} />
        <Stack gap="lg">
          <ProductVariants product={product} current={variant} />
          <ProductDetails product={product} />
        </Stack>
      </TwoColumns>
      <DeleteProduct
        product={isDeleting ? product : undefined}
        onClose={() => setDeleting(false)}
        onDone={() => navigate(listUrl('/products'), { state: RETURN_STATE })}
      />
    </>
  )
}

/** Files that are dropped while the page is open are attached to the product. */
function useDropTarget({ product_id, name }: ProductGroup): void {
  const { setTarget } = useUploads()
  useEffect(() => {
    setTarget({
      text: texts.dropHere,
      name,
      attach: { product_ids: [product_id] },
    })
    return () => setTarget(undefined)
  }, [setTarget, name, product_id])
}

function ProductDetails({ product }: { product: ProductGroup }) {
  const { vendor, tags, product_id } = product
  return (
    <Section title={texts.details}>
      <DetailList>
        {vendor !== '' && (
          <Detail name={texts.fields.vendor}>
            <Anchor component={Link} href={productsUrl({ vendor })} inherit>
              <bdi dir="auto">{vendor}</bdi>
            </Anchor>
          </Detail>
        )}
        {tags.length > 0 && (
          <Detail name={texts.fields.tags}>
            <ProductTags tags={tags} />
          </Detail>
        )}
        <Detail name={texts.fields.product_id}>{shopIdText(product_id)}</Detail>
      </DetailList>
    </Section>
  )
}

/** With at least this many variants, the page has a search field. */
const MIN_SEARCHED = 10
/** How many variants are shown at first, and added by each click on “Show more”. */
const STEP = 100

interface VariantsProps {
  product: ProductGroup
  /** The variant in the URL. */
  current: Product
}

/** The variants of a product. The list stays short, whatever their number. */
function ProductVariants({ product, current }: VariantsProps) {
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
    <Section title={total === 1 ? texts.fields.variant_name : plural(common.variants, total)}>
      {total >= MIN_SEARCHED && (
        <FilterInput
          label={texts.searchVariants}
          value={search}
          onValue={onSearch}
          leftSection={<IconSearch size={16} aria-hidden />}
          mb="xs"
        />
      )}
      {error !== null && (
        <ErrorAlert title={texts.variantsFailed} error={error} onRetry={refetch} />
      )}
      {/* While it has the focus, the arrow keys scroll it. */}
      <Box mah={360} style={{ overflowY: 'auto' }} tabIndex={0}>
        <Table verticalSpacing={6} horizontalSpacing={6} fz="sm" className={classes.variants}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="50%">{texts.nameAndId}</Table.Th>
              <Table.Th>{texts.fields.sku}</Table.Th>
              {canDelete && (
                <Table.Th w={56}>
                  <VisuallyHidden>{texts.delete}</VisuallyHidden>
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
          {texts.showMore}
        </Button>
      )}
      <DeleteVariant variant={deleting} onClose={() => setDeleting(undefined)} onDone={onDeleted} />
    </Section>
  )
}

interface VariantRowProps {
  variant: Product
  /** Undefined if the variant cannot be deleted. */
  onDelete: ((variant: Product) => void) | undefined
}

function VariantRow({ variant, onDelete }: VariantRowProps) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const { variant_name, sku, variant_id } = variant
  return (
    <Table.Tr ref={row}>
      <Table.Td>
        {variant_name !== '' && <Name>{variant_name}</Name>}
        <Text size="xs" c="dimmed">
          {shopIdText(variant_id)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Name isWhole>{sku}</Name>
      </Table.Td>
      {onDelete && (
        <Table.Td>
          <Tooltip label={texts.deleteVariant}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={fill(texts.deleteVariantNamed, { name: variant_name || `${variant_id}` })}
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
  if (found === 0) return texts.noVariants
  if (shown < found) return plural(texts.showing, found, { shown: numberText(shown) })
  return isSearched ? plural(common.variants, found) : ''
}

/** IDs of shops are smaller: those of products that came without IDs are provisional. */
const FIRST_PROVISIONAL_ID = 2 ** 52

function shopIdText(id: number): string {
  return id < FIRST_PROVISIONAL_ID ? `${id}` : texts.idUnknown
}
