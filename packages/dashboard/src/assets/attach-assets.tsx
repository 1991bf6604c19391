import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { forEachAsset } from './for-each-asset.ts'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { ProductPicker } from './product-picker.tsx'

interface Props {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function AttachAssets({ assets, isOpen, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const [picked, setPicked] = useState<ProductChoice[]>([])
  const subject = countText(assets.length, 'asset')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => forEachAsset(assets, ({ id }) => client.attach(id, referencesOf(picked))),
    onSuccess() {
      const products = new Set(picked.map(({ productId }) => productId))
      notify({ message: `${subject} attached to ${countText(products.size, 'product')}` })
      setPicked([])
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={`Attach ${subject} to products`}>
      <Stack>
        <ProductPicker picked={picked} onPick={setPicked} />
        <Text size="sm" c="dimmed">
          Buyers of these products receive the assets.
        </Text>
        {error !== null && (
          <Alert color="red" title="Could not attach all assets" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ActionButton disabled={picked.length === 0} isBusy={isPending} onClick={() => mutate()}>
            Attach
          </ActionButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
