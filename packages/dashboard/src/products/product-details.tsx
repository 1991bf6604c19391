import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { Detail, DetailList } from '../components/detail-list.tsx'
import { Section } from '../components/section.tsx'
import { productsUrl } from './product-query.ts'
import type { ListedProduct } from './product-table.tsx'
import { ProductTags } from './product-tags.tsx'

export function ProductDetails({ product }: { product: ListedProduct }) {
  const { sku, vendor, tags, product_id, variant_id } = product
  return (
    <Section title="Details">
      <DetailList>
        {sku !== '' && (
          <Detail name="SKU">
            <bdi dir="auto">{sku}</bdi>
          </Detail>
        )}
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
        <Detail name="Variant ID">{variant_id}</Detail>
      </DetailList>
    </Section>
  )
}
