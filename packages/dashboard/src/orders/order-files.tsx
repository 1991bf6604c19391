import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset, Order, OrderFile } from '@stowage/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { Dialog, DialogForm } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { numberText, sizeText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { fill, rich } from '../i18n/texts.ts'
import { IconX } from '../icons/icons.tsx'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { AssetPicker } from './asset-picker.tsx'
import classes from './orders.module.css'
import { canChange, useOrderAction, useOrderFiles, useOrderForm } from './use-orders.ts'

/** The service returns at most this many. */
const MAX_FILES = 1000

/** What the buyer may download now, and how often each file was downloaded. */
export function OrderFiles({ order }: { order: Order }) {
  const files = useOrderFiles(order.id)
  const client = useClient()
  const isChangeable = useHasScope('write') && canChange(order)
  const { mutate } = useOrderAction(texts.detachFailed, (asset: Asset) =>
    client.detachFromOrder(order.id, [asset.id]),
  )
  const attached = files.data?.filter(({ line }) => line === null) ?? []
  return (
    <LoadedSection
      query={files}
      title={texts.files}
      action={
        canChange(order) && (
          <RequireScope scope="write">
            <AttachFiles order={order} exclude={attached.map(({ asset }) => asset.id)} />
          </RequireScope>
        )
      }
    >
      {(data) =>
        data.length === 0 ? (
          <Text c="dimmed">{texts.noFiles}</Text>
        ) : (
          <>
            <Table className={classes.table} fz="sm" horizontalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.file}</Table.Th>
                  <Table.Th visibleFrom="sm">{texts.from}</Table.Th>
                  <Table.Th>{texts.downloads}</Table.Th>
                  {isChangeable && (
                    <Table.Th w={44}>
                      <VisuallyHidden>{texts.detach}</VisuallyHidden>
                    </Table.Th>
                  )}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((file) => (
                  <FileRow
                    key={file.asset.id}
                    file={file}
                    order={order}
                    onDetach={isChangeable ? mutate : undefined}
                  />
                ))}
              </Table.Tbody>
            </Table>
            {data.length === MAX_FILES && (
              <Text size="sm" c="dimmed" mt="xs">
                {fill(texts.firstFiles, { count: MAX_FILES })}
              </Text>
            )}
          </>
        )
      }
    </LoadedSection>
  )
}

interface FileRowProps {
  file: OrderFile
  order: Order
  /** Undefined if files cannot be detached. */
  onDetach: ((asset: Asset) => void) | undefined
}

function FileRow({ file, order, onDetach }: FileRowProps) {
  const { asset, line, downloaded, limit, open_until } = file
  const row = useFocusHandover<HTMLTableRowElement>()
  const product = line === null ? undefined : order.lines[line]?.product
  const origin = line === null ? texts.thisOrder : (product?.name ?? '')
  return (
    <Table.Tr ref={row}>
      <Table.Td className={classes.name}>
        <Anchor component={Link} href={`/assets/${asset.id}`} c="inherit" inherit fw={500}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Anchor>
        <Text size="xs" c="dimmed">
          {asset.is_file && sizeText(asset.bytes)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          <bdi dir="auto">{origin}</bdi>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={180}>
        <Name>{origin}</Name>
      </Table.Td>
      <Table.Td>
        {limit === null ? numberText(downloaded) : fill(texts.usedOf, { used: downloaded, limit })}{' '}
        {limit !== null && downloaded >= limit && (
          <Badge size="sm" variant="light" miw="max-content" color="orange">
            {texts.limitReached}
          </Badge>
        )}
        {open_until !== null && (
          <Text size="xs" c="dimmed">
            {rich(texts.openUntil, { date: <DateTime value={open_until} /> })}
          </Text>
        )}
      </Table.Td>
      {onDetach && (
        <Table.Td>
          {line === null && (
            <Tooltip label={texts.detach}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={fill(texts.detachNamed, { name: asset.filename })}
                onClick={() => onDetach(asset)}
              >
                <IconX size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function AttachFiles({ order, exclude }: { order: Order; exclude: readonly string[] }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {texts.attach}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={texts.attach}>
        <AttachForm order={order} exclude={exclude} onClose={close} />
      </Dialog>
    </>
  )
}

interface AttachFormProps {
  order: Order
  exclude: readonly string[]
  onClose(): void
}

function AttachForm({ order, exclude, onClose }: AttachFormProps) {
  const client = useClient()
  const [picked, setPicked] = useState<Asset[]>([])
  const ids = picked.map(({ id }) => id)
  const mutation = useOrderForm(() => client.attachToOrder(order.id, ids), onClose)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.attachFailed}
      submitLabel={texts.attach}
      isIncomplete={picked.length === 0}
      onClose={onClose}
    >
      <AssetPicker picked={picked} onPick={setPicked} exclude={exclude} />
      <Text size="sm" c="dimmed">
        {texts.attachHint}
      </Text>
    </DialogForm>
  )
}
