import { Anchor, Group, Progress, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { Name } from '../components/name.tsx'
import { confirmCancel } from './confirm-cancel.tsx'
import { type IconButton, IconButtons } from './icon-buttons.tsx'
import { uploadWords } from './status-text.ts'
import { isOver, type UploadItem, WORTH_ASKING } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props {
  item: UploadItem
  isOnline: boolean
}

export const UploadRow = memo(function UploadRow({ item, isOnline }: Props) {
  const { file, progress, id } = item
  const isReady = progress.state === 'ready'
  const isStopped = progress.state === 'stopped'
  const percent = file.size === 0 ? 0 : (100 * progress.bytes) / file.size
  return (
    <Stack component="li" gap={4} py={8}>
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
        <RowButtons item={item} />
      </Group>
      {!isReady && !isStopped && (
        <Progress value={percent} size="sm" aria-label={`Progress of ${file.name}`} />
      )}
      <Text size="xs" c={isStopped ? 'var(--mantine-color-error)' : 'dimmed'}>
        {isReady ? formatSize(file.size) : uploadWords(item, isOnline)}
      </Text>
    </Stack>
  )
})

function RowButtons({ item }: { item: UploadItem }) {
  const uploads = useUploads()
  const { key, file, progress } = item
  const { state, bytes } = progress
  const pause = { label: 'Pause', Icon: IconPlayerPause, does: () => uploads.pause(key) }
  const goOn = { label: 'Go on', Icon: IconPlayerPlay, does: () => uploads.resume(key) }
  const retry = { label: 'Try again', Icon: IconRefresh, does: () => uploads.retry(key) }
  const remove = () => uploads.remove(key)
  const end = {
    label: isOver(item) ? 'Take off the list' : 'Cancel',
    Icon: IconX,
    does: () =>
      isOver(item) || bytes < WORTH_ASKING ? remove() : confirmCancel({ what: file.name }, remove),
  }
  const moves: Partial<Record<typeof state, IconButton>> = {
    waiting: pause,
    sending: pause,
    paused: goOn,
    stopped: retry,
  }
  return (
    <IconButtons places={[moves[state], state === 'finishing' ? undefined : end]} of={file.name} />
  )
}
