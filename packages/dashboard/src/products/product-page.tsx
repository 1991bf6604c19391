import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import type { ProductGroup } from '@stowage/client'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { BackLink, listUrl, RETURN_STATE } from '../components/list-position.tsx'
import { useTitle } from '../components/page.tsx'
import { Detail, DetailList, LoadedRecord, Section, TwoColumns } from '../components/sections.tsx'
import { IconTrash } from '../icons/icons.tsx'
import { RequireScope } from '../session/account.tsx'
import { useUploads } from '../uploads/uploads.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { ProductAssets } from './product-assets.tsx'
import classes from './product-page.module.css'
import { productsUrl } from './product-query.ts'
import { ProductTags } from './product-table.tsx'
import { ProductVariants } from './product-variants.tsx'
import { type LoadedProduct, useProduct } from './use-products.ts'

/** The page of a product. `id` is the ID of one of its variants. */
export function ProductPage({ id }: { id: string }) {
  const product = useProduct(id)
  useTitle(product.data?.group.name ?? 'Product')
  return (
    <Stack gap="md">
      <BackLink list="/products">All products</BackLink>
      <LoadedRecord
        query={product}
        kind="product"
        notFoundText="It may have been deleted, or the URL may be wrong."
      >
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
        <RequireScope scope="write">
          <Button
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={18} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        </RequireScope>
      </Group>
      <TwoColumns>
        <ProductAssets product={product} />
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
      text: 'Drop files or folders to upload them and attach them to',
      name,
      attach: { product_ids: [product_id] },
    })
    return () => setTarget(undefined)
  }, [setTarget, name, product_id])
}

function ProductDetails({ product }: { product: ProductGroup }) {
  const { vendor, tags, product_id } = product
  return (
    <Section title="Details">
      <DetailList>
        {vendor !== '' && (
          <Detail name="Vendor">
            <Anchor component={Link} href={productsUrl({ vendor })} inherit>
              <bdi dir="auto">{vendor}</bdi>
            </Anchor>
          </Detail>
        )}
        {tags.length > 0 && (
          <Detail name="Tags">
            <ProductTags tags={tags} />
          </Detail>
        )}
        <Detail name="Product ID">{product_id}</Detail>
      </DetailList>
    </Section>
  )
}
