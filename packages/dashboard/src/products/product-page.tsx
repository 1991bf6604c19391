import { Anchor, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import { IconArrowLeft, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { AssetIcon } from '../assets/asset-icon.tsx'
import { Name } from '../format/name.tsx'
import { Problem } from '../shell/problem.tsx'
import { useTitle } from '../shell/use-title.ts'
import { DeleteProduct } from './delete-product.tsx'
import { ProductFacts } from './product-facts.tsx'
import classes from './product-page.module.css'
import type { ListedProduct } from './product-table.tsx'
import { useProduct } from './use-products.ts'

export function ProductPage({ id }: { id: string }) {
  const { data: product, error, refetch } = useProduct(id)
  useTitle(product?.name ?? 'Product')
  const isGone = isStowageError(error, 'not_found') || isStowageError(error, 'invalid')
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/products" size="sm" w="fit-content">
        <IconArrowLeft size={14} aria-hidden /> All products
      </Anchor>
      {product !== undefined && error === null && <Whole product={product} />}
      {product === undefined && error === null && (
        <Stack role="status" aria-label="Loading">
          <Skeleton h={36} w="50%" />
          <Skeleton h={240} />
        </Stack>
      )}
      {isGone && <Gone />}
      {error !== null && !isGone && (
        <Problem title="The product can’t be read" error={error} onRetry={() => void refetch()} />
      )}
    </Stack>
  )
}

function Whole({ product }: { product: ListedProduct }) {
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
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={18} aria-hidden />}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </Group>
      <div className={classes.columns}>
        <Assets assets={product.assets ?? []} />
        <ProductFacts product={product} />
      </div>
      <DeleteProduct
        product={isDeleting ? product : undefined}
        onClose={() => setDeleting(false)}
        onDone={() => navigate('/products')}
      />
    </>
  )
}

function Assets({ assets }: { assets: NonNullable<ListedProduct['assets']> }) {
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="assets">
      <Title order={2} size="h5" id="assets" mb="sm">
        Assets
      </Title>
      {assets.length === 0 && (
        <Text c="dimmed" size="sm">
          None yet. Open an asset and attach this product to it.
        </Text>
      )}
      <ul className={classes.assets}>
        {assets.map((asset) => (
          <li key={asset.id}>
            <AssetIcon asset={asset} />
            <Anchor component={Link} href={`/assets/${asset.id}`} c="inherit" fw={500} miw={0}>
              <Name>{asset.filename}</Name>
            </Anchor>
            <Text size="sm" c="dimmed" className={classes.size}>
              {asset.size}
            </Text>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

function Gone() {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        This product is not here
      </Title>
      <Text c="dimmed">It was deleted, or the address is mistyped.</Text>
    </Stack>
  )
}
