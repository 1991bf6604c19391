import { Alert, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { showNotice } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { useClient } from '../session/session.tsx'
import type { ListedProduct } from './product-table.tsx'

interface Props {
  /** Undefined: nothing is asked. */
  product: ListedProduct | undefined
  onClose(): void
  onDone?(): void
}

/** Says what stays. */
export function DeleteProduct({ product, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.deleteProduct(id, { signal }),
    async onSuccess() {
      showNotice({ message: 'The product is deleted' })
      onClose()
      onDone?.()
      await queries.invalidateQueries()
    },
  })
  const assets = product?.assets_total ?? 0
  return (
    <Confirm
      isOpen={product !== undefined}
      title="Delete this product?"
      verb="Delete this product"
      failure="It could not be deleted"
      outcome={deletion}
      onConfirm={(signal) => product && deletion.mutate({ id: product.id, signal })}
      onClose={onClose}
    >
      <div>
        <Name fw={600}>{product?.name ?? ''}</Name>
        {product?.variant_name && <Name c="dimmed">{product.variant_name}</Name>}
      </div>
      {assets > 0 && (
        <Alert color="orange" title={`Linked to ${countText(assets, 'asset')}`}>
          The links go with it. The assets themselves stay.
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        Nothing is changed in your shop. Importing it again brings it back, without its links.
      </Text>
    </Confirm>
  )
}
