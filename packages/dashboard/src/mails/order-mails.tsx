import { Anchor, type ButtonProps, Group, Stack, Text } from '@mantine/core'
import type { Order } from '@stowage/client'
import { Link } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime } from '../components/values.tsx'
import { mails } from '../i18n/en/mails.ts'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { mailsUrl } from './mail-query.ts'
import { MailState } from './mail-values.tsx'
import classes from './mails.module.css'
import { useMailPage, useSending } from './use-mails.ts'

const MAX_SHOWN = 5

/** The mails about an order, and a button that sends its files again. */
export function OrderMails({ order }: { order: Order }) {
  const texts = mails.ofBuyer
  const { id, email, status } = order
  const canOpen = useHasScope('write')
  const isSendable = email !== null && (status === 'active' || status === 'held')
  return (
    <LoadedSection
      query={useMailPage({ order: id }, MAX_SHOWN)}
      title={texts.title}
      action={
        isSendable && (
          <RequireScope scope="write">
            <SendEmail order={order} size="xs" />
          </RequireScope>
        )
      }
    >
      {({ data, meta }) => (
        <Stack gap="sm">
          {data.length === 0 && (
            <Text c="dimmed">{email === null ? texts.noAddress : texts.none}</Text>
          )}
          {data.length > 0 && (
            <ul className={classes.list}>
              {data.map(({ id: mailId, kind, state, created_at }) => (
                <li key={mailId}>
                  <Group justify="space-between" gap="xs">
                    <div>
                      {canOpen ? (
                        <Anchor component={Link} href={`/mails/${mailId}`} size="sm">
                          {mails.kinds[kind]}
                        </Anchor>
                      ) : (
                        <Text size="sm">{mails.kinds[kind]}</Text>
                      )}
                      <Text size="xs" c="dimmed">
                        <DateTime value={created_at} hasSeconds />
                      </Text>
                    </div>
                    <MailState state={state} />
                  </Group>
                </li>
              ))}
            </ul>
          )}
          {meta.last_page > 1 && (
            <Anchor component={Link} href={mailsUrl({ order: id })} size="sm">
              {texts.all}
            </Anchor>
          )}
        </Stack>
      )}
    </LoadedSection>
  )
}

interface SendEmailProps extends ButtonProps {
  order: Order
}

/** Sends “Your files are ready” of an order with an e-mail address. */
export function SendEmail({ order: { id, email_sent_at }, ...props }: SendEmailProps) {
  const texts = mails.ofBuyer
  const client = useClient()
  const { mutate, isPending } = useSending(
    texts.failed,
    () => client.sendOrder(id),
    () => notify({ message: texts.sent }),
  )
  return (
    <ActionButton variant="default" {...props} isBusy={isPending} onClick={() => mutate()}>
      {email_sent_at === null ? texts.send : texts.again}
    </ActionButton>
  )
}
