import { ActionIcon, Alert, Anchor, Group, Loader, Stack, Text, Tooltip } from '@mantine/core'
import type { Asset, Product } from '@stowage/client'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Name } from '../components/name.tsx'
import { Section } from '../components/section.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { errorText } from '../format/error-text.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { productName } from './product-names.ts'
import { ProductPicker } from './product-picker.tsx'

/** The products that the asset is attached to, with controls to attach and detach. */
export function AssetProducts({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const attached = asset.products ?? []
  // One mutation for both calls, so that an error disappears when either of them succeeds.
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: ({ call, products }: { call: 'attach' | 'detach'; products: Product[] }) =>
      client[call](asset.id, { products: products.map(({ id }) => id) }),
    onSuccess(changed) {
      queries.setQueryData(['asset', asset.id], changed)
      return queries.invalidateQueries()
    },
  })
  const isDetaching = (product: Product) =>
    isPending && variables.call === 'detach' && variables.products.includes(product)
  return (
    <Section title="Products">
      <Stack gap="sm">
        {attached.length === 0 && (
          <Text size="sm" c="dimmed">
            Not attached to any product. Buyers of an attached product receive this asset.
          </Text>
        )}
        <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
          {attached.map((product) => (
            <AttachedProduct
              key={product.id}
              product={product}
              isDetaching={isDetaching(product)}
              onDetach={() => mutate({ call: 'detach', products: [product] })}
            />
          ))}
        </Stack>
        <RequireScope scope="write">
          <ProductPicker
            label="Attach to products"
            picked={[]}
            onPick={(products) => mutate({ call: 'attach', products })}
            exclude={attached}
          />
        </RequireScope>
        {error !== null && (
          <Alert color="red" title="Could not change the products" role="alert">
            {errorText(error)}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

interface AttachedProductProps {
  product: Product
  isDetaching: boolean
  onDetach(): void
}

function AttachedProduct({ product, isDetaching, onDetach }: AttachedProductProps) {
  const row = useFocusHandover<HTMLDivElement>()
  return (
    <Group ref={row} component="li" wrap="nowrap" justify="space-between">
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
      <RequireScope scope="write">
        <Tooltip label="Detach">
          {/* Not disabled while it is busy: it would lose the focus. */}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Detach ${productName(product)}`}
            aria-busy={isDetaching || undefined}
            onClick={() => isDetaching || onDetach()}
          >
            {isDetaching ? <Loader size={18} aria-hidden /> : <IconX size={18} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      </RequireScope>
    </Group>
  )
}
