import { Alert, Button, Checkbox, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { groupProducts, type VariantGroup } from './product-groups.ts'
import { useDetach } from './use-detach.ts'

interface Props {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function DetachAssets({ assets, isOpen, onClose, onDone }: Props) {
  const subject = countText(assets.length, 'asset')
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Detach ${subject} from products`}>
      <DetachForm assets={assets} onClose={onClose} onDone={onDone} />
    </Dialog>
  )
}

/** The maximum number of products in the dialog. */
const MAX_PRODUCTS = 200

function DetachForm({ assets, onClose, onDone }: Omit<Props, 'isOpen'>) {
  const groups = groupProducts(assets.flatMap(({ products = [] }) => products)).slice(
    0,
    MAX_PRODUCTS,
  )
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(groups.length === 1 ? groups.map(({ productId }) => productId) : []),
  )
  const { mutate, isPending, error } = useDetach({
    onDone() {
      onClose()
      onDone()
    },
  })
  const toggle = (productId: number) => {
    const after = new Set(chosen)
    if (!after.delete(productId)) after.add(productId)
    setChosen(after)
  }
  const isAll = chosen.size === groups.length
  const detach = () =>
    mutate(
      assets
        .map((asset) => ({
          asset,
          products: asset.products?.filter(({ product_id }) => chosen.has(product_id)) ?? [],
        }))
        .filter(({ products }) => products.length > 0),
    )
  return (
    <Stack>
      {groups.length === 0 && (
        <Text size="sm">The selected assets are not attached to products.</Text>
      )}
      {groups.length > 1 && (
        <Checkbox
          label="All products"
          checked={isAll}
          indeterminate={chosen.size > 0 && !isAll}
          onChange={() => setChosen(new Set(isAll ? [] : groups.map(({ productId }) => productId)))}
        />
      )}
      <ScrollArea.Autosize mah="40dvh" type="auto">
        <Stack gap="xs">
          {groups.map((group) => (
            <Checkbox
              key={group.productId}
              label={<bdi dir="auto">{labelOf(group)}</bdi>}
              checked={chosen.has(group.productId)}
              onChange={() => toggle(group.productId)}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {error !== null && (
        <Alert color="red" title="Could not detach all assets" role="alert">
          {errorText(error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <ActionButton disabled={chosen.size === 0} isBusy={isPending} onClick={detach}>
          Detach
        </ActionButton>
      </Group>
    </Stack>
  )
}

function labelOf({ name, variants }: VariantGroup): string {
  const count = new Set(variants.map(({ id }) => id)).size
  return count > 1 ? `${name} (${countText(count, 'variant')})` : name
}
