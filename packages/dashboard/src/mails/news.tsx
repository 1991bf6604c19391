import { Alert, Anchor, Badge, Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset, Notice, Notification } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog, DialogForm } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { ErrorAlert } from '../components/page-states.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime } from '../components/values.tsx'
import { mails } from '../i18n/en/mails.ts'
import { fill, plural } from '../i18n/texts.ts'
import { queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { MailContent } from './mail-content.tsx'
import { mailsUrl } from './mail-query.ts'
import classes from './mails.module.css'
import { useNotices, useSending } from './use-mails.ts'

/** Tells past buyers of the current version of a file. */
export function NewsSection({ asset }: { asset: Asset }) {
  const texts = mails.news
  const notices = useNotices(asset.id)
  const current = notices.data?.find(({ version }) => version === asset.version)
  const isUntold = notices.data !== undefined && current === undefined
  return (
    <LoadedSection
      query={notices}
      title={texts.title}
      action={
        isUntold && (
          <RequireScope scope="write">
            <TellBuyers asset={asset} />
          </RequireScope>
        )
      }
    >
      {(data) => (
        <Stack gap="sm">
          {isUntold && (
            <Text size="sm" c="dimmed">
              {texts.hint}
            </Text>
          )}
          {data.length > 0 && (
            <ul className={classes.list}>
              {data.map((notice) => (
                <li key={notice.id}>
                  <NoticeRow notice={notice} isCurrent={notice.version === asset.version} />
                </li>
              ))}
            </ul>
          )}
        </Stack>
      )}
    </LoadedSection>
  )
}

const STATE_COLORS = { sending: 'cyan', paused: 'orange', cancelled: 'gray', done: 'green' }

interface NoticeRowProps {
  notice: Notice
  /** Whether it is about the current version of the file. */
  isCurrent: boolean
}

function NoticeRow({ notice, isCurrent }: NoticeRowProps) {
  const texts = mails.news
  const { id, version, state, queued, recipients, created_at } = notice
  // A cancelled one is continued by telling the buyers of the current version.
  const isChangeable = state === 'cancelled' ? isCurrent : state !== 'done'
  const progress = plural(texts.progress, recipients, { queued })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {fill(texts.version, { number: version })}
        </Text>
        <Badge size="sm" variant="light" color={STATE_COLORS[state]}>
          {texts.states[state]}
        </Badge>
      </Group>
      <Progress
        value={recipients === 0 ? 100 : Math.min(100, (queued / recipients) * 100)}
        color={STATE_COLORS[state]}
        aria-label={texts.title}
      />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {progress} · <DateTime value={created_at} />
        </Text>
        <Anchor component={Link} href={mailsUrl({ notice: id })} size="xs">
          {texts.show}
        </Anchor>
      </Group>
      {isChangeable && (
        <RequireScope scope="write">
          <NoticeActions notice={notice} />
        </RequireScope>
      )}
    </Stack>
  )
}

/** Each button stays in its place when the state changes, so that it keeps the focus. */
function NoticeActions({ notice }: { notice: Notice }) {
  const texts = mails.news
  const { id, asset_id, state } = notice
  const client = useClient()
  const buttons = useFocusHandover<HTMLDivElement>()
  const resume = () =>
    state === 'cancelled' ? client.notifyBuyers(asset_id) : client.changeNotice(id, 'sending')
  const toggle = useSending<unknown>(
    texts.changeFailed,
    () => (state === 'sending' ? client.changeNotice(id, 'paused') : resume()),
    () => undefined,
  )
  const cancel = useSending(
    texts.changeFailed,
    () => client.changeNotice(id, 'cancelled'),
    () => undefined,
  )
  return (
    <Group ref={buttons} gap="xs">
      <ActionButton
        size="xs"
        variant="default"
        isBusy={toggle.isPending}
        onClick={() => toggle.mutate()}
      >
        {state === 'sending' ? texts.pause : texts.resume}
      </ActionButton>
      {state !== 'cancelled' && (
        <CancelButton isBusy={cancel.isPending} onClick={() => cancel.mutate()} />
      )}
    </Group>
  )
}

function CancelButton({ isBusy, onClick }: { isBusy: boolean; onClick(): void }) {
  const button = useFocusHandover<HTMLDivElement>()
  return (
    <div ref={button}>
      <ActionButton size="xs" variant="light" color="red" isBusy={isBusy} onClick={onClick}>
        {mails.news.cancel}
      </ActionButton>
    </div>
  )
}

function TellBuyers({ asset }: { asset: Asset }) {
  const texts = mails.news
  const [isOpen, { open, close }] = useDisclosure()
  // It disappears when the buyers are told.
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <>
      <Button ref={button} size="xs" variant="default" onClick={open}>
        {texts.tell}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={fill(texts.tellOf, { version: asset.version })}
        size="xl"
      >
        <Trial asset={asset} onClose={close} />
      </Dialog>
    </>
  )
}

/** Counts the buyers and shows the mail. Nothing is sent before the button is pressed. */
function Trial({ asset: { id, version }, onClose }: { asset: Asset; onClose(): void }) {
  const texts = mails.news
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.newsPreview(id, version),
    queryFn: ({ signal }) => client.notifyBuyers(id, { dry_run: true, signal }),
    gcTime: 0,
    retry: false,
  })
  if (error !== null) {
    return <ErrorAlert title={texts.countFailed} error={error} onRetry={() => void refetch()} />
  }
  return data === undefined ? (
    <Skeleton h={240} />
  ) : (
    <Start id={id} trial={data} onClose={onClose} />
  )
}

interface StartProps {
  id: string
  trial: Notification
  onClose(): void
}

function Start({ id, trial, onClose }: StartProps) {
  const texts = mails.news
  const { recipients, unsubscribed, preview } = trial
  const client = useClient()
  const mutation = useSending(undefined, () => client.notifyBuyers(id), onClose)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.tellFailed}
      submitLabel={plural(texts.start, recipients)}
      isIncomplete={recipients === 0}
      onClose={onClose}
    >
      <Alert color={recipients === 0 ? 'orange' : 'cyan'}>
        {recipients === 0 ? texts.nobody : plural(texts.recipients, recipients)}{' '}
        {unsubscribed > 0 && plural(texts.unsubscribed, unsubscribed)}
      </Alert>
      <MailContent content={preview} />
    </DialogForm>
  )
}
