import { ActionIcon, Anchor, Button, Group, Progress, Stack, Text, Tooltip } from '@mantine/core'
import { memo } from 'react'
import { Link } from 'wouter'
import { FileButton } from '../components/file-button.tsx'
import { useFocusHandover } from '../components/focus.ts'
import type { Connection } from '../components/service.ts'
import { DateTime, Name } from '../components/values.tsx'
import { sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { useLanguage } from '../i18n/language.ts'
import { fill, rich } from '../i18n/texts.ts'
import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '../icons/icons.tsx'
import { DiscardUpload } from './cancel-upload.tsx'
import type { ResumableUpload } from './resumable-upload.ts'
import {
  CONFIRM_FROM_BYTES,
  isEnded,
  replacementText,
  statusText,
  type UploadItem,
} from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface UploadRowProps {
  item: UploadItem
  connection: Connection
  /** Called instead of cancelling if much data would be lost. */
  onConfirmCancel(item: UploadItem): void
}

export const UploadRow = memo(function UploadRow({
  item,
  connection,
  onConfirmCancel,
}: UploadRowProps) {
  useLanguage()
  const { file, progress, id } = item
  const row = useFocusHandover<HTMLDivElement>()
  const isReady = progress.state === 'ready'
  const isStopped = progress.state === 'stopped'
  const percent = file.size === 0 ? 0 : (100 * progress.bytes) / file.size
  return (
    <Stack ref={row} component="li" gap={4} py={8}>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Group gap="xs" wrap="nowrap" miw={0}>
          {isReady && (
            <IconCircleCheck size={18} color="var(--mantine-color-success)" aria-hidden />
          )}
          {isStopped && (
            <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-hidden />
          )}
          {isReady && id !== undefined ? (
            <Anchor component={Link} href={`/assets/${id}`} size="sm" miw={0}>
              <Name>{file.name}</Name>
            </Anchor>
          ) : (
            <Name fz="sm">{file.name}</Name>
          )}
        </Group>
        <RowButtons item={item} onConfirmCancel={onConfirmCancel} />
      </Group>
      {item.folder !== '' && (
        <Name fz="xs" c="dimmed">
          {item.folder}
        </Name>
      )}
      {item.replaces && (
        <Name fz="xs" c="dimmed">
          {replacementText(item.replaces, file.name)}
        </Name>
      )}
      {!isReady && !isStopped && (
        <Progress
          value={percent}
          size="sm"
          aria-label={fill(texts.progressOf, { name: file.name })}
        />
      )}
      <Text size="xs" c={isStopped ? 'var(--mantine-color-error)' : 'dimmed'}>
        {isReady ? sizeText(file.size) : statusText(item, connection)}
      </Text>
    </Stack>
  )
})

function RowButtons({ item, onConfirmCancel }: Pick<UploadRowProps, 'item' | 'onConfirmCancel'>) {
  const uploads = useUploads()
  const { key, file, progress } = item
  const { state, bytes } = progress
  const pause = { label: texts.pause, Icon: IconPlayerPause, run: () => uploads.pause(key) }
  const resume = { label: texts.resume, Icon: IconPlayerPlay, run: () => uploads.resume(key) }
  const retry = { label: common.tryAgain, Icon: IconRefresh, run: () => uploads.retry(key) }
  const remove = {
    label: isEnded(item) ? texts.remove : common.cancel,
    Icon: IconX,
    run: () =>
      isEnded(item) || bytes < CONFIRM_FROM_BYTES ? uploads.remove(key) : onConfirmCancel(item),
  }
  const actions: Partial<Record<typeof state, IconAction>> = {
    waiting: pause,
    sending: pause,
    paused: resume,
    stopped: retry,
  }
  return (
    <IconButtons
      actions={[actions[state], state === 'finishing' ? undefined : remove]}
      subject={file.name}
    />
  )
}

/** Asks for the file again, because a page cannot keep access to files across a reload. */
export function ResumableRow({ upload }: { upload: ResumableUpload }) {
  const uploads = useUploads()
  const row = useFocusHandover<HTMLDivElement>()
  const { name, size, path, startedAt, problem, replaces } = upload
  return (
    <Stack ref={row} component="li" gap={4} py={8}>
      <Name fz="sm">{name}</Name>
      {path !== null && (
        <Name fz="xs" c="dimmed">
          {path}
        </Name>
      )}
      {replaces && (
        <Name fz="xs" c="dimmed">
          {replacementText(replaces, name)}
        </Name>
      )}
      <Text size="xs" c="dimmed">
        {rich(texts.sizeStarted, { size: sizeText(size), date: <DateTime value={startedAt} /> })}
      </Text>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      <Group gap="xs">
        <FileButton onChange={(file) => file && uploads.resumeWith(upload, file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="light">
              {texts.chooseFile}
            </Button>
          )}
        </FileButton>
        <DiscardUpload size="compact-sm" variant="subtle" color="gray" upload={upload} />
      </Group>
    </Stack>
  )
}

interface IconAction {
  label: string
  Icon: Icon
  run(): void
}

interface IconButtonsProps {
  /** One per position, so that a button keeps the focus when its action changes, as from pause to resume. */
  actions: (IconAction | undefined)[]
  /** What the buttons act on, for screen readers. */
  subject?: string
}

export function IconButtons({ actions, subject }: IconButtonsProps) {
  return (
    <Group gap={2} wrap="nowrap">
      {actions.map(
        (action, position) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies the button
          action && <IconButton key={position} action={action} subject={subject} />,
      )}
    </Group>
  )
}

function IconButton({ action, subject }: { action: IconAction; subject: string | undefined }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Tooltip label={action.label}>
      <ActionIcon
        ref={button}
        variant="subtle"
        color="gray"
        aria-label={
          subject === undefined
            ? action.label
            : fill(texts.actionOn, { action: action.label, name: subject })
        }
        onClick={action.run}
      >
        <action.Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
