import { Alert, Text } from '@mantine/core'
import type { ProductGroup } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  /** Undefined while the dialog is closed. */
  product: ProductGroup | undefined
  onClose(): void
  onDone?(): void
}

/** Deletes a product with all of its variants. */
export function DeleteProduct({ product, onClose, onDone }: Props) {
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
    onSettled: () => queries.invalidateQueries(),
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
