import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { Fact, Facts } from '../components/detail-list.tsx'
import { Section } from '../components/section.tsx'
import { productsAddress } from './product-query.ts'
import type { ListedProduct } from './product-table.tsx'
import { ProductTags } from './product-tags.tsx'

export function ProductFacts({ product }: { product: ListedProduct }) {
  const { sku, vendor, tags, product_id, variant_id } = product
  return (
    <Section title="Facts">
      <Facts>
        {sku !== '' && (
          <Fact name="SKU">
            <bdi dir="auto">{sku}</bdi>
          </Fact>
        )}
        {vendor !== '' && (
          <Fact name="Vendor">
            <Anchor component={Link} href={productsAddress({ vendor })} inherit>
              <bdi dir="auto">{vendor}</bdi>
            </Anchor>
          </Fact>
        )}
        {tags.length > 0 && (
          <Fact name="Tags">
            <ProductTags tags={tags} />
          </Fact>
        )}
        <Fact name="Product id">{product_id}</Fact>
        <Fact name="Variant id">{variant_id}</Fact>
      </Facts>
    </Section>
  )
}
