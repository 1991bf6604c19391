import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { AssetIcon } from '../assets/asset-icon.tsx'
import { sizeOf } from '../assets/asset-kind.ts'
import { BackLink } from '../components/back-link.tsx'
import { listUrl, RETURN_STATE } from '../components/list-position.ts'
import { LoadedRecord } from '../components/loaded-record.tsx'
import { Name } from '../components/name.tsx'
import { Section } from '../components/section.tsx'
import { useTitle } from '../components/use-title.ts'
import { countText } from '../format/count-text.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { ProductDetails } from './product-details.tsx'
import classes from './product-page.module.css'
import type { ListedProduct } from './product-table.tsx'
import { useProduct } from './use-products.ts'

export function ProductPage({ id }: { id: string }) {
  const product = useProduct(id)
  useTitle(product.data?.name ?? 'Product')
  return (
    <Stack gap="md">
      <BackLink list="/products">All products</BackLink>
      <LoadedRecord
        query={product}
        kind="product"
        notFoundText="It may have been deleted, or the URL is wrong."
      >
        {(data) => <ProductContent product={data} />}
      </LoadedRecord>
    </Stack>
  )
}

function ProductContent({ product }: { product: ListedProduct }) {
  const [isDeleting, setDeleting] = useState(false)
  const [, navigate] = useLocation()
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <div className={classes.heading}>
          <Title order={1} size="h2">
            <bdi dir="auto">{product.name}</bdi>
          </Title>
          {product.variant_name !== '' && (
            <Text c="dimmed" size="lg" component="bdi" dir="auto">
              {product.variant_name}
            </Text>
          )}
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
      <div className={classes.columns}>
        <Assets assets={product.assets ?? []} total={product.assets_total ?? 0} />
        <ProductDetails product={product} />
      </div>
      <DeleteProduct
        product={isDeleting ? product : undefined}
        onClose={() => setDeleting(false)}
        onDone={() => navigate(listUrl('/products'), { state: RETURN_STATE })}
      />
    </>
  )
}

function Assets({
  assets,
  total,
}: {
  assets: NonNullable<ListedProduct['assets']>
  total: number
}) {
  return (
    <Section title="Assets">
      {assets.length === 0 && (
        <Text c="dimmed" size="sm">
          No assets attached. Open an asset to attach it to this product.
        </Text>
      )}
      <ul className={classes.assets}>
        {assets.map((asset) => (
          <li key={asset.id}>
            <AssetIcon asset={asset} />
            <Anchor
              component={Link}
              href={`/assets/${asset.id}`}
              c="inherit"
              fz="sm"
              fw={500}
              miw={0}
            >
              <Name>{asset.filename}</Name>
            </Anchor>
            <Text size="sm" c="dimmed" className={classes.size}>
              {sizeOf(asset)}
            </Text>
          </li>
        ))}
      </ul>
      {total > assets.length && (
        <Text c="dimmed" size="sm">
          Showing the newest {assets.length} of {countText(total, 'asset')}.
        </Text>
      )}
    </Section>
  )
}
