import { ActionIcon, Alert, Group, Stack, Text, Tooltip } from '@mantine/core'
import type { Asset, Product } from '@stowage/client'
import { IconLinkOff } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorWords } from '../format/error-words.ts'
import { Name } from '../format/name.tsx'
import { useClient } from '../session/session.tsx'
import { Section } from '../shell/section.tsx'
import { productName } from './product-names.ts'
import { ProductPicker } from './product-picker.tsx'

/** The products that the asset comes with, and a way to more of them. */
export function AssetProducts({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const products = asset.products ?? []
  const onSuccess = (changed: Asset) => {
    queries.setQueryData(['asset', asset.id], changed)
    return queries.invalidateQueries()
  }
  const attaching = useMutation({
    mutationFn: (picked: Product[]) =>
      client.attach(asset.id, { products: picked.map(({ id }) => id) }),
    onSuccess,
  })
  const detaching = useMutation({
    mutationFn: ({ id }: Product) => client.detach(asset.id, { products: [id] }),
    onSuccess,
  })
  const error = attaching.error ?? detaching.error
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
              <div style={{ minWidth: 0 }}>
                <Name fz="sm" fw={500}>
                  {productName(product)}
                </Name>
                {product.sku !== '' && (
                  <Name fz="xs" c="dimmed">
                    {product.sku}
                  </Name>
                )}
              </div>
              <Tooltip label="Unlink">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Unlink ${productName(product)}`}
                  loading={detaching.isPending && detaching.variables.id === product.id}
                  onClick={() => detaching.mutate(product)}
                >
                  <IconLinkOff size={18} aria-hidden />
                </ActionIcon>
              </Tooltip>
            </Group>
          ))}
        </Stack>
        <ProductPicker
          label="Link to more"
          picked={[]}
          onPick={attaching.mutate}
          without={products}
        />
        {error !== null && (
          <Alert color="red" title="That did not work" role="alert">
            {errorWords(error)}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
