import { Anchor, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import classes from './product-page.module.css'
import { productsAddress } from './product-query.ts'
import type { ListedProduct } from './product-table.tsx'
import { ProductTags } from './product-tags.tsx'

export function ProductFacts({ product }: { product: ListedProduct }) {
  const { sku, vendor, tags, product_id, variant_id } = product
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="facts">
      <Title order={2} size="h5" id="facts" mb="sm">
        Facts
      </Title>
      <dl className={classes.facts}>
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
      </dl>
    </Paper>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm">
        {children}
      </Text>
    </>
  )
}
