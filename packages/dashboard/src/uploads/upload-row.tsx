import { Anchor, Group, Progress, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { memo } from 'react'
import { Link } from 'wouter'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '../icons/icons.ts'
import { type IconAction, IconButtons } from './icon-buttons.tsx'
import { replacementText } from './replacement-text.ts'
import { statusText } from './status-text.ts'
import { CONFIRM_FROM_BYTES, isEnded, type UploadItem } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props {
  item: UploadItem
  isOnline: boolean
  /** Called instead of cancelling if much data would be lost. */
  onConfirmCancel(item: UploadItem): void
}

export const UploadRow = memo(function UploadRow({ item, isOnline, onConfirmCancel }: Props) {
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
        <Progress value={percent} size="sm" aria-label={`Progress of ${file.name}`} />
      )}
      <Text size="xs" c={isStopped ? 'var(--mantine-color-error)' : 'dimmed'}>
        {isReady ? formatSize(file.size) : statusText(item, isOnline)}
      </Text>
    </Stack>
  )
})

function RowButtons({ item, onConfirmCancel }: Pick<Props, 'item' | 'onConfirmCancel'>) {
  const uploads = useUploads()
  const { key, file, progress } = item
  const { state, bytes } = progress
  const pause = { label: 'Pause', Icon: IconPlayerPause, run: () => uploads.pause(key) }
  const resume = { label: 'Resume', Icon: IconPlayerPlay, run: () => uploads.resume(key) }
  const retry = { label: 'Try again', Icon: IconRefresh, run: () => uploads.retry(key) }
  const remove = {
    label: isEnded(item) ? 'Remove from list' : 'Cancel',
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
