import { Anchor, Button, type ButtonProps, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset, Order, ProductGroup } from '@stowage/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { Dialog } from '../components/dialogs.tsx'
import { orders as texts } from '../i18n/en/orders.ts'
import { fill } from '../i18n/texts.ts'
import { IconShare } from '../icons/icons.tsx'
import { SendEmail } from '../mails/on-demand.tsx'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { AssetPicker } from './asset-picker.tsx'
import { OrderForm } from './order-form.tsx'
import { SharedUrl } from './shared-url.tsx'

interface ShareProps extends ButtonProps {
  /** The file that is shared, unless others are chosen in the dialog. */
  asset?: Asset
  /** Shared as a whole. */
  product?: Pick<ProductGroup, 'product_id' | 'name'>
}

/** Creates an order by hand, and shows the URL of its download page. */
export function ShareButton({ asset, product, ...props }: ShareProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [created, setCreated] = useState<Order>()
  const name = product?.name ?? asset?.filename
  const title = name === undefined ? texts.shareFiles : fill(texts.shareNamed, { name })
  return (
    <RequireScope scope="write">
      <Button
        variant="default"
        leftSection={<IconShare size={18} aria-hidden />}
        onClick={() => {
          setCreated(undefined)
          open()
        }}
        {...props}
      >
        {name === undefined ? texts.shareFiles : texts.share}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={created === undefined ? title : texts.shared}
        size="lg"
      >
        {created === undefined ? (
          <ShareForm asset={asset} product={product} onDone={setCreated} onClose={close} />
        ) : (
          <SharedOrder order={created} onClose={close} />
        )}
      </Dialog>
    </RequireScope>
  )
}

interface ShareFormProps {
  asset: Asset | undefined
  product: ShareProps['product']
  onDone(order: Order): void
  onClose(): void
}

function ShareForm({ asset, product, onDone, onClose }: ShareFormProps) {
  const client = useClient()
  const [picked, setPicked] = useState<Asset[]>(asset === undefined ? [] : [asset])
  const content =
    product === undefined
      ? { assets: picked.map(({ id }) => id) }
      : { lines: [{ product_id: product.product_id }] }
  return (
    <OrderForm
      errorTitle={texts.shareFailed}
      submitLabel={texts.createUrl}
      isIncomplete={product === undefined && picked.length === 0}
      save={(values) => client.createOrder({ ...content, ...values })}
      onDone={onDone}
      onClose={onClose}
    >
      {product === undefined ? (
        <AssetPicker picked={picked} onPick={setPicked} />
      ) : (
        <Text size="sm">{texts.shareProductHint}</Text>
      )}
    </OrderForm>
  )
}

function SharedOrder({ order, onClose }: { order: Order; onClose(): void }) {
  const { id, url, email } = order
  return (
    <Stack>
      {url !== null && <SharedUrl url={url} isQrShown />}
      <Text size="sm" c="dimmed">
        {fill(texts.sharedHint, { orders: texts.title })}
      </Text>
      <Group justify="space-between">
        <Anchor component={Link} href={`/orders/${id}`} size="sm" onClick={onClose}>
          {texts.openOrder}
        </Anchor>
        <Group gap="xs">
          {email !== null && <SendEmail order={order} />}
          <Button onClick={onClose} data-autofocus>
            {texts.close}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}
