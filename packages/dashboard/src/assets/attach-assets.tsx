import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Asset, Product } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { showNotice } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorWords } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { inTurns } from './for-each-asset.ts'
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
  const [picked, setPicked] = useState<Product[]>([])
  const what = countText(assets.length, 'asset')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => {
      const products = picked.map(({ id }) => id)
      return inTurns(assets, ({ id }) => client.attach(id, { products }))
    },
    onSuccess() {
      const to = countText(picked.length, 'product')
      showNotice({ message: `${what} attached to ${to}` })
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
    <Modal
      opened={isOpen}
      onClose={close}
      title={`Attach ${what} to products`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <ProductPicker picked={picked} onPick={setPicked} />
        <Text size="sm" c="dimmed">
          Whoever buys one of these products gets the files.
        </Text>
        {error !== null && (
          <Alert color="red" title="Not all could be attached" role="alert">
            {errorWords(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button disabled={picked.length === 0} loading={isPending} onClick={() => mutate()}>
            Attach
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
