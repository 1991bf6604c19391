import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Order } from '@stowage/client'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../components/dialogs.tsx'
import { BackLink } from '../components/list-position.tsx'
import { useTitle } from '../components/page.tsx'
import {
  Detail,
  DetailList,
  LoadedRecord,
  LoadedSection,
  Section,
  TwoColumns,
} from '../components/sections.tsx'
import { readPage } from '../components/url-query.ts'
import { DateTime } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { OrderMails } from '../mails/on-demand.tsx'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { DownloadLog } from './download-log.tsx'
import { MoreRequested } from './more-requested.tsx'
import { OrderFiles } from './order-files.tsx'
import { OrderForm } from './order-form.tsx'
import { OrderLines } from './order-lines.tsx'
import { OrderStatus, orderName } from './order-texts.tsx'
import classes from './orders.module.css'
import { SharedUrl } from './shared-url.tsx'
import { canChange, useOrder, useOrderAction, useOrderDownloads } from './use-orders.ts'

export function OrderPage({ id }: { id: string }) {
  const order = useOrder(id)
  useTitle(order.data === undefined ? texts.order : orderName(order.data))
  return (
    <Stack gap="md">
      <BackLink list="/orders">{texts.all}</BackLink>
      <LoadedRecord query={order} kind="order" notFoundText={texts.notFoundHint}>
        {(data) => <OrderContent order={data} />}
      </LoadedRecord>
    </Stack>
  )
}

function OrderContent({ order }: { order: Order }) {
  const { status, url, more_requested } = order
  return (
    <>
      <Group gap="sm">
        <Title order={1} size="h2" className={classes.name}>
          <bdi dir="auto">{orderName(order)}</bdi>
        </Title>
        <OrderStatus status={status} />
      </Group>
      {status !== 'active' && <Alert color="orange">{texts.hints[status]}</Alert>}
      {canChange(order) && more_requested !== null && (
        <MoreRequested order={order} request={more_requested} />
      )}
      {canChange(order) && (
        <RequireScope scope="write">
          <OrderActions order={order} />
        </RequireScope>
      )}
      <TwoColumns>
        <Stack gap="lg">
          <OrderFiles order={order} />
          <OrderLog order={order} />
        </Stack>
        <Stack gap="lg">
          <RequireScope scope="write">
            <Section title={texts.page}>
              {url === null ? <Text c="dimmed">{texts.noUrl}</Text> : <SharedUrl url={url} />}
            </Section>
          </RequireScope>
          <OrderMails order={order} />
          <OrderLines order={order} />
          <OrderDetails order={order} />
        </Stack>
      </TwoColumns>
    </>
  )
}

function OrderActions({ order }: { order: Order }) {
  const { id, status } = order
  const client = useClient()
  const [asking, setAsking] = useState<'edit' | 'revoke'>()
  const close = () => setAsking(undefined)
  const isHeld = status === 'held'
  const toggle = useOrderAction(texts.changeFailed, () => client.changeOrder(id, { held: !isHeld }))
  const revoke = useOrderAction(texts.revokeFailed, () => client.revokeOrder(id))
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setAsking('edit')}>
        {texts.edit}
      </Button>
      {status !== 'expired' && (
        <ActionButton
          variant="default"
          isBusy={toggle.isPending}
          onClick={() => toggle.mutate(undefined)}
        >
          {isHeld ? texts.release : texts.hold}
        </ActionButton>
      )}
      <Button variant="light" color="red" onClick={() => setAsking('revoke')}>
        {texts.revoke}
      </Button>
      <Dialog isOpen={asking === 'edit'} onClose={close} title={texts.editTitle} size="lg">
        <OrderForm
          order={order}
          errorTitle={texts.changeFailed}
          submitLabel={texts.save}
          save={(values) => client.changeOrder(id, values)}
          onDone={close}
          onClose={close}
        />
      </Dialog>
      <ConfirmDialog
        isOpen={asking === 'revoke'}
        title={texts.revokeQuestion}
        confirmLabel={texts.revokeOrder}
        onConfirm={() => revoke.mutate(undefined)}
        onClose={close}
      >
        <Text size="sm">{texts.revokeHint}</Text>
      </ConfirmDialog>
    </Group>
  )
}

function OrderLog({ order: { id } }: { order: Order }) {
  const page = readPage(new URLSearchParams(useSearch()))
  return (
    <LoadedSection query={useOrderDownloads(id, page)} title={texts.log}>
      {({ data, meta }) => (
        <DownloadLog
          downloads={data}
          meta={meta}
          page={page}
          hrefOf={(number) => `/orders/${id}?page=${number}`}
        />
      )}
    </LoadedSection>
  )
}

function OrderDetails({ order }: { order: Order }) {
  const { id, source, expires_at, max_downloads, inline, ordered_at, created_at } = order
  const details = [
    [texts.number, order.order_number],
    [texts.reference, order.reference],
    [texts.buyer, order.name],
    [texts.email, order.email],
    [texts.locale, order.locale],
    [texts.label, order.label],
  ] as const
  return (
    <Section title={texts.details}>
      <DetailList>
        {details.map(
          ([name, value]) =>
            value !== null && (
              <Detail key={name} name={name}>
                <bdi dir="auto">{value}</bdi>
              </Detail>
            ),
        )}
        <Detail name={texts.limitShort}>
          {max_downloads === null ? texts.byDefault : numberText(max_downloads)}
        </Detail>
        <Detail name={texts.expires}>
          {expires_at === null ? texts.never : <DateTime value={expires_at} />}
        </Detail>
        {inline && <Detail name={texts.inPage}>{texts.inlineShort}</Detail>}
        <Detail name={texts.ordered}>
          <DateTime value={new Date(ordered_at * 1000).toISOString()} />
        </Detail>
        <Detail name={texts.created}>
          <DateTime value={created_at} />
        </Detail>
        <Detail name={texts.source}>{texts.sources[source]}</Detail>
        <Detail name="ID">
          <Group gap={4} wrap="nowrap">
            <span className={classes.name}>{id}</span> <CopyButton text={id} what="ID" />
          </Group>
        </Detail>
      </DetailList>
    </Section>
  )
}
