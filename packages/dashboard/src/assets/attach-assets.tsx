import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { ProductPicker } from './product-picker.tsx'
import { useAttach } from './use-attach.ts'

interface Props {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function AttachAssets({ assets, isOpen, onClose, onDone }: Props) {
  const [picked, setPicked] = useState<ProductChoice[]>([])
  const subject = countText(assets.length, 'asset')
  const { mutate, isPending, error, reset } = useAttach({
    onDone() {
      setPicked([])
      onClose()
      onDone()
    },
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
          <Alert color="red" title="Could not attach the assets" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ActionButton
            disabled={picked.length === 0}
            isBusy={isPending}
            onClick={() => mutate({ assets, products: referencesOf(picked) })}
          >
            Attach
          </ActionButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
