import { Alert, Stack, Text } from '@mantine/core'
import type { Asset, Product } from '@stowage/client'
import { Section } from '../components/section.tsx'
import { errorText } from '../format/error-text.ts'
import { RequireScope } from '../session/require-scope.tsx'
import classes from './asset-page.module.css'
import { AttachedProduct } from './attached-product.tsx'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { groupProducts } from './product-groups.ts'
import { ProductPicker } from './product-picker.tsx'
import { useAttach } from './use-attach.ts'
import { useDetach } from './use-detach.ts'

/** The products that the asset is attached to, with controls to attach and detach. */
export function AssetProducts({ asset }: { asset: Asset }) {
  const attached = asset.products ?? []
  const detaching = useDetach()
  const attaching = useAttach()
  const attach = (choices: ProductChoice[]) => {
    detaching.reset()
    attaching.mutate({ assets: [asset], products: referencesOf(choices) })
  }
  const detach = (products: readonly Product[]) => {
    attaching.reset()
    detaching.mutate([{ asset, products }])
  }
  const error = attaching.error ?? detaching.error
  const beingDetached = detaching.isPending ? (detaching.variables[0]?.products ?? []) : []
  return (
    <Section title="Products">
      <Stack gap="sm">
        <RequireScope scope="write">
          <ProductPicker
            label="Attach to products"
            picked={[]}
            onPick={attach}
            exclude={attached}
          />
        </RequireScope>
        {error !== null && (
          <Alert color="red" title="Could not change the products" role="alert">
            {errorText(error)}
          </Alert>
        )}
        {attached.length === 0 && (
          <Text size="sm" c="dimmed">
            Not attached to any product. Attach it to a product to deliver it to the buyers.
          </Text>
        )}
        {attached.length > 0 && (
          <div className={classes.products}>
            <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: 'none' }}>
              {groupProducts(attached).map((group) => (
                <AttachedProduct
                  key={group.productId}
                  group={group}
                  detaching={beingDetached}
                  onDetach={detach}
                />
              ))}
            </Stack>
          </div>
        )}
      </Stack>
    </Section>
  )
}
