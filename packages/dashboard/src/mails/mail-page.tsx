import { Alert, Anchor, Code, Group, Stack, Text, Title } from '@mantine/core'
import type { MailWithContent } from '@stowage/client'
import { Link, useLocation } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { BackLink } from '../components/list-position.tsx'
import { notify } from '../components/notifications.tsx'
import { useTitle } from '../components/page.tsx'
import { Detail, DetailList, LoadedRecord, Section, TwoColumns } from '../components/sections.tsx'
import { DateTime } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { problemText } from '../i18n/api-texts.ts'
import { mails as texts } from '../i18n/en/mails.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { MailContent } from './mail-content.tsx'
import { MailState } from './mail-values.tsx'
import classes from './mails.module.css'
import { useMail, useSending } from './use-mails.ts'

export function MailPage({ id }: { id: string }) {
  const mail = useMail(id)
  useTitle(mail.data?.recipient ?? texts.title)
  return (
    <Stack gap="md">
      <BackLink list="/mails">{texts.all}</BackLink>
      <LoadedRecord query={mail} kind="mail" notFoundText={texts.notFoundHint}>
        {(data) => <Content mail={data} />}
      </LoadedRecord>
    </Stack>
  )
}

function Content({ mail }: { mail: MailWithContent }) {
  const { state, recipient, reason, content } = mail
  return (
    <>
      <Group gap="sm">
        <Title order={1} size="h2" className={classes.name}>
          <bdi>{recipient}</bdi>
        </Title>
        <MailState state={state} />
      </Group>
      {reason !== null && (
        <Alert color={state === 'failed' ? 'red' : 'orange'} title={texts.reason}>
          <bdi dir="auto" className={classes.name}>
            {problemText(reason)}
          </bdi>
        </Alert>
      )}
      <RequireScope scope="write">
        <SendAgain mail={mail} />
      </RequireScope>
      <TwoColumns>
        <Section title={texts.content}>
          {content === null ? (
            <Text c="dimmed">{texts.noContent}</Text>
          ) : (
            <MailContent content={content} />
          )}
        </Section>
        <Details mail={mail} />
      </TwoColumns>
    </>
  )
}

/** A queued mail is sent at once; of any other, a new mail is queued, which is then shown. */
function SendAgain({ mail: { id, state } }: { mail: MailWithContent }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const { mutate, isPending } = useSending(
    texts.againFailed,
    () => client.sendMailAgain(id),
    (sent) => {
      notify({ message: texts.queued })
      if (sent.id !== id) navigate(`/mails/${sent.id}`)
    },
  )
  return (
    <Group>
      <ActionButton
        variant="default"
        isBusy={isPending || state === 'sending'}
        onClick={() => mutate()}
      >
        {state === 'queued' ? texts.now : texts.again}
      </ActionButton>
    </Group>
  )
}

function Details({ mail }: { mail: MailWithContent }) {
  const { kind, cause, order_id, asset_id, locale, attempts } = mail
  const { next_attempt_at, sent_at, created_at, message_id } = mail
  return (
    <Section title={texts.details}>
      <DetailList>
        <Detail name={texts.kind}>{texts.kinds[kind]}</Detail>
        <Detail name={texts.cause}>{texts.causes[cause]}</Detail>
        {order_id !== null && (
          <Detail name={texts.order}>
            <Anchor component={Link} href={`/orders/${order_id}`} inherit>
              {texts.showOrder}
            </Anchor>
          </Detail>
        )}
        {asset_id !== null && (
          <Detail name={texts.file}>
            <Anchor component={Link} href={`/assets/${asset_id}`} inherit>
              {texts.showFile}
            </Anchor>
          </Detail>
        )}
        {locale !== null && <Detail name={texts.texts.language}>{locale}</Detail>}
        <Detail name={texts.created}>
          <DateTime value={created_at} hasSeconds />
        </Detail>
        <Detail name={texts.attempts}>{numberText(attempts)}</Detail>
        {next_attempt_at !== null && (
          <Detail name={texts.next}>
            <DateTime value={next_attempt_at} hasSeconds />
          </Detail>
        )}
        {sent_at !== null && (
          <Detail name={texts.sentAt}>
            <DateTime value={sent_at} hasSeconds />
          </Detail>
        )}
        <Detail name={texts.messageId}>
          <Code className={classes.name}>{message_id}</Code>
        </Detail>
      </DetailList>
    </Section>
  )
}
