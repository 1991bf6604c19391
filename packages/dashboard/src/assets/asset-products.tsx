import { ActionIcon, Alert, Anchor, Group, Stack, Text, Tooltip } from '@mantine/core'
import type { Asset, Product } from '@stowage/client'
import { IconLinkOff } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Name } from '../components/name.tsx'
import { Section } from '../components/section.tsx'
import { errorWords } from '../format/error-text.ts'
import { May } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { productName } from './product-names.ts'
import { ProductPicker } from './product-picker.tsx'

/** The products that the asset comes with, and a way to more of them. */
export function AssetProducts({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const products = asset.products ?? []
  // One for both, so that what failed is said until something works.
  const linking = useMutation({
    mutationFn: ({ by, some }: { by: 'attach' | 'detach'; some: Product[] }) =>
      client[by](asset.id, { products: some.map(({ id }) => id) }),
    onSuccess(changed) {
      queries.setQueryData(['asset', asset.id], changed)
      return queries.invalidateQueries()
    },
  })
  const { by, some: leaving = [] } = linking.variables ?? {}
  const isLeaving = (product: Product) =>
    linking.isPending && by === 'detach' && leaving.includes(product)
  return (
    <Section title="Linked products">
      <Stack gap="sm">
        {products.length === 0 && (
          <Text size="sm" c="dimmed">
            None yet. Whoever buys a linked product gets this.
          </Text>
        )}
        <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
          {products.map((product) => (
            <Group key={product.id} component="li" wrap="nowrap" justify="space-between">
              <LinkedProduct product={product} />
              <May scope="write">
                <Tooltip label="Unlink">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Unlink ${productName(product)}`}
                    loading={isLeaving(product)}
                    onClick={() => linking.mutate({ by: 'detach', some: [product] })}
                  >
                    <IconLinkOff size={18} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              </May>
            </Group>
          ))}
        </Stack>
        <May scope="write">
          <ProductPicker
            label="Link to more"
            picked={[]}
            onPick={(some) => linking.mutate({ by: 'attach', some })}
            without={products}
          />
        </May>
        {linking.error !== null && (
          <Alert color="red" title="That did not work" role="alert">
            {errorWords(linking.error)}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

function LinkedProduct({ product }: { product: Product }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Anchor component={Link} href={`/products/${product.id}`} c="inherit" fz="sm" fw={500}>
        <Name>{productName(product)}</Name>
      </Anchor>
      {product.sku !== '' && (
        <Name fz="xs" c="dimmed">
          {product.sku}
        </Name>
      )}
    </div>
  )
}
