import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorWords } from '../format/error-words.ts'
import { Name } from '../format/name.tsx'
import { countText } from '../format/size-text.ts'
import { useClient } from '../session/session.tsx'
import type { ListedProduct } from './product-table.tsx'

interface Props {
  /** Undefined: nothing is asked. */
  product: ListedProduct | undefined
  onClose(): void
  onDone?(): void
}

/** Asks once more, and says what stays. */
export function DeleteProduct({ product, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (id: string) => client.deleteProduct(id),
    async onSuccess() {
      notifications.show({ message: 'The product is deleted' })
      onClose()
      onDone?.()
      await queries.invalidateQueries()
    },
  })
  const close = () => {
    reset()
    onClose()
  }
  const assets = product?.assets?.length ?? 0
  return (
    <Modal
      opened={product !== undefined}
      onClose={close}
      title="Delete this product?"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
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
        {error !== null && (
          <Alert color="red" title="It could not be deleted" role="alert">
            {errorWords(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep
          </Button>
          <Button color="red" loading={isPending} onClick={() => product && mutate(product.id)}>
            Delete this product
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
