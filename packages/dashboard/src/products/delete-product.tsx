import { Alert, Text } from '@mantine/core'
import type { Product, ProductGroup } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { productName } from '../assets/product-names.ts'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { Name } from '../components/values.tsx'
import { products as texts } from '../i18n/en/products.ts'
import { plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface DeleteProductProps {
  /** Undefined while the dialog is closed. */
  product: ProductGroup | undefined
  onClose(): void
  onDone?(): void
}

/** Deletes a product with all of its variants. */
export function DeleteProduct({ product, onClose, onDone }: DeleteProductProps) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    async mutationFn({ productId, signal }: { productId: number; signal: AbortSignal }) {
      for await (const { id } of client.products({ product_id: productId, signal })) {
        await client.deleteProduct(id, { signal })
      }
    },
    onSuccess() {
      notify({ message: texts.deleted })
      onClose()
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(changedBy('product.deleted')),
  })
  const assets = product?.assets_total
  const variants = product?.variants_total ?? 1
  return (
    <ConfirmDialog
      isOpen={product !== undefined}
      title={texts.deleteQuestion}
      confirmLabel={texts.deleteProduct}
      errorTitle={texts.deleteFailed}
      mutation={deletion}
      onConfirm={(signal) => product && deletion.mutate({ productId: product.product_id, signal })}
      onClose={onClose}
    >
      <div>
        <Name fw={600}>{product?.name ?? ''}</Name>
        {variants > 1 && <Text c="dimmed">{plural(texts.allVariantsCount, variants)}</Text>}
      </div>
      {/* If there are very many attachments, the service does not count them. */}
      {assets !== undefined && assets !== 0 && (
        <Alert
          color="orange"
          title={assets === null ? texts.manyAttached : plural(texts.attached, assets)}
        >
          {texts.detachedHint}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {texts.shopHint}
      </Text>
    </ConfirmDialog>
  )
}

interface DeleteVariantProps {
  /** Undefined while the dialog is closed. */
  variant: Product | undefined
  onClose(): void
  onDone(deleted: Product): void
}

/** Deletes one variant of a product. */
export function DeleteVariant({ variant, onClose, onDone }: DeleteVariantProps) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ deleted, signal }: { deleted: Product; signal: AbortSignal }) =>
      client.deleteProduct(deleted.id, { signal }),
    onSuccess(_result, { deleted }) {
      notify({ message: texts.variantDeleted })
      onClose()
      onDone(deleted)
    },
    onSettled: () => queries.invalidateQueries(changedBy('product.deleted')),
  })
  const assets = useAssetCount(variant)
  return (
    <ConfirmDialog
      isOpen={variant !== undefined}
      title={texts.deleteVariantQuestion}
      confirmLabel={texts.deleteVariant}
      errorTitle={texts.deleteVariantFailed}
      mutation={deletion}
      onConfirm={(signal) => variant && deletion.mutate({ deleted: variant, signal })}
      onClose={onClose}
    >
      <div>
        <Name fw={600}>{variant ? productName(variant) : ''}</Name>
        {variant !== undefined && variant.sku !== '' && (
          <Name fz="sm" c="dimmed">
            {variant.sku}
          </Name>
        )}
      </div>
      {assets > 0 && (
        <Alert color="orange" title={plural(texts.attached, assets)}>
          {texts.variantDetachedHint}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {texts.variantShopHint}
      </Text>
    </ConfirmDialog>
  )
}

/** The number of assets that are attached to this variant; 0 until it is known. */
function useAssetCount(variant: Product | undefined): number {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.assetCount(variant?.id),
    queryFn: ({ signal }) => client.assetsOf(variant?.id ?? '', { limit: 1, signal }).page(),
    enabled: variant !== undefined,
  })
  return data?.meta.total ?? 0
}
