import { Anchor } from '@mantine/core'
import type { ProductGroup } from '@stowage/client'
import { Link } from 'wouter'
import { Detail, DetailList } from '../components/detail-list.tsx'
import { Section } from '../components/section.tsx'
import { productsUrl } from './product-query.ts'
import { ProductTags } from './product-tags.tsx'

export function ProductDetails({ product }: { product: ProductGroup }) {
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
