import { Alert, Text } from '@mantine/core'
import type { Product, ProductGroup } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { productName } from '../assets/product-names.ts'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { Name } from '../components/values.tsx'
import { countText } from '../format.ts'
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
      notify({ message: 'Product deleted' })
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
      title="Delete this product?"
      confirmLabel="Delete product"
      errorTitle="Could not delete the product"
      mutation={deletion}
      onConfirm={(signal) => product && deletion.mutate({ productId: product.product_id, signal })}
      onClose={onClose}
    >
      <div>
        <Name fw={600}>{product?.name ?? ''}</Name>
        {variants > 1 && <Text c="dimmed">All {countText(variants, 'variant')}</Text>}
      </div>
      {/* If there are very many attachments, the service does not count them. */}
      {assets !== undefined && assets !== 0 && (
        <Alert
          color="orange"
          title={assets === null ? 'Many attached assets' : countText(assets, 'attached asset')}
        >
          The assets will be detached, not deleted.
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        The product in your shop does not change. If you import it again, you have to attach its
        assets again.
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
      notify({ message: 'Variant deleted' })
      onClose()
      onDone(deleted)
    },
    onSettled: () => queries.invalidateQueries(changedBy('product.deleted')),
  })
  const assets = useAssetCount(variant)
  return (
    <ConfirmDialog
      isOpen={variant !== undefined}
      title="Delete this variant?"
      confirmLabel="Delete variant"
      errorTitle="Could not delete the variant"
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
        <Alert color="orange" title={countText(assets, 'attached asset')}>
          The assets will be detached from this variant, not deleted. Other variants keep them.
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        The variant in your shop does not change. If you import it again, you have to attach its
        assets again.
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
