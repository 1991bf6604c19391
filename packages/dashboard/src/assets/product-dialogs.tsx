/* The dialogs in which users choose products for assets. */

import { Alert, Button, Checkbox, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { errorText } from '../format.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { ChooseFiles } from '../uploads/add-files.tsx'
import { useChangeAll } from './change-all.ts'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { groupProducts, type VariantGroup } from './product-names.ts'
import { ProductPicker } from './product-picker.tsx'
import type { AllMatches } from './selection.tsx'
import { useAttach, useDetach } from './use-asset-changes.ts'

interface AttachAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function AttachAssets({ assets, isOpen, onClose, onDone }: AttachAssetsProps) {
  const [picked, setPicked] = useState<ProductChoice[]>([])
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
    <Dialog isOpen={isOpen} onClose={close} title={plural(texts.attachTitle, assets.length)}>
      <Stack>
        <ProductPicker picked={picked} onPick={setPicked} />
        <Text size="sm" c="dimmed">
          {texts.buyersReceive}
        </Text>
        {error !== null && (
          <Alert color="red" title={texts.attachFailed} role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <ActionButton
            disabled={picked.length === 0}
            isBusy={isPending}
            onClick={() => mutate({ assets, products: referencesOf(picked) })}
          >
            {texts.attach}
          </ActionButton>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ChangeProductsOfAllProps extends Omit<AttachAssetsProps, 'assets'> {
  action: 'attach' | 'detach'
  all: AllMatches
}

/** Attaches all assets that match the search and the filters, or detaches them. */
export function ChangeProductsOfAll(props: ChangeProductsOfAllProps) {
  const { action, all, isOpen, onClose, onDone } = props
  const [picked, setPicked] = useState<ProductChoice[]>([])
  const { mutate, isPending, error, reset } = useChangeAll({
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
  const isAttaching = action === 'attach'
  const title = plural(isAttaching ? texts.attachTitle : texts.detachTitle, all.total)
  const change = () => mutate({ all, change: { action, ...referencesOf(picked) } })
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <Stack>
        <ProductPicker picked={picked} onPick={setPicked} />
        <Text size="sm" c="dimmed">
          {isAttaching ? texts.allReceive : texts.allNoLongerReceive}
        </Text>
        {error !== null && (
          <Alert
            color="red"
            title={isAttaching ? texts.attachFailed : texts.detachFailed}
            role="alert"
          >
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <ActionButton disabled={picked.length === 0} isBusy={isPending} onClick={change}>
            {isAttaching ? texts.attach : texts.detach}
          </ActionButton>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface DetachAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function DetachAssets({ assets, isOpen, onClose, onDone }: DetachAssetsProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={plural(texts.detachTitle, assets.length)}>
      <DetachForm assets={assets} onClose={onClose} onDone={onDone} />
    </Dialog>
  )
}

/** The maximum number of products in the dialog. */
const MAX_PRODUCTS = 200

function DetachForm({ assets, onClose, onDone }: Omit<DetachAssetsProps, 'isOpen'>) {
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
      {groups.length === 0 && <Text size="sm">{texts.noneAttached}</Text>}
      {groups.length > 1 && (
        <Checkbox
          label={texts.allProducts}
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
        <Alert color="red" title={texts.detachManyFailed} role="alert">
          {errorText(error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <ActionButton disabled={chosen.size === 0} isBusy={isPending} onClick={detach}>
          {texts.detach}
        </ActionButton>
      </Group>
    </Stack>
  )
}

function labelOf({ name, variants }: VariantGroup): string {
  const count = new Set(variants.map(({ id }) => id)).size
  return count > 1
    ? fill(texts.nameAndVariants, { name, variants: plural(common.variants, count) })
    : name
}

interface UploadToProductsProps {
  isOpen: boolean
  onClose(): void
}

/** Asks for products first, and attaches the files to them. */
export function UploadToProducts({ isOpen, onClose }: UploadToProductsProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.uploadToProducts}>
      <UploadToProductsForm onClose={onClose} />
    </Dialog>
  )
}

function UploadToProductsForm({ onClose }: Pick<UploadToProductsProps, 'onClose'>) {
  const [picked, setPicked] = useState<ProductChoice[]>([])
  return (
    <Stack>
      <ProductPicker picked={picked} onPick={setPicked} />
      <Text size="sm" c="dimmed">
        {texts.buyersReceiveFiles}
      </Text>
      <Group justify="flex-end">
        <ChooseFiles
          attach={referencesOf(picked)}
          isDisabled={picked.length === 0}
          onChosen={onClose}
        />
      </Group>
    </Stack>
  )
}

interface ChooseProductProps {
  onChoose(productId: number): void
  onClose(): void
}

/** Asks for the product whose assets the list shows. */
export function ChooseProduct({ onChoose, onClose }: ChooseProductProps) {
  return (
    <Dialog isOpen onClose={onClose} title={texts.assetsOfProduct}>
      <ProductPicker
        label={texts.product}
        isWhole
        picked={[]}
        onPick={([choice]) => {
          if (choice === undefined) return
          onChoose(choice.productId)
          onClose()
        }}
      />
    </Dialog>
  )
}
