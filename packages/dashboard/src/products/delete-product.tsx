import { Alert, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { useClient } from '../session/session.tsx'
import type { ListedProduct } from './product-table.tsx'

interface Props {
  /** Undefined while the dialog is closed. */
  product: ListedProduct | undefined
  onClose(): void
  onDone?(): void
}

export function DeleteProduct({ product, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.deleteProduct(id, { signal }),
    async onSuccess() {
      notify({ message: 'Product deleted' })
      onClose()
      onDone?.()
      await queries.invalidateQueries()
    },
  })
  const assets = product?.assets_total ?? 0
  return (
    <ConfirmDialog
      isOpen={product !== undefined}
      title="Delete this product?"
      confirmLabel="Delete product"
      errorTitle="Could not delete the product"
      mutation={deletion}
      onConfirm={(signal) => product && deletion.mutate({ id: product.id, signal })}
      onClose={onClose}
    >
      <div>
        <Name fw={600}>{product?.name ?? ''}</Name>
        {product?.variant_name && <Name c="dimmed">{product.variant_name}</Name>}
      </div>
      {assets > 0 && (
        <Alert color="orange" title={countText(assets, 'attached asset')}>
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
