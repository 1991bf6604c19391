import { ActionIcon, Anchor, Group, Progress, Stack, Text, Tooltip } from '@mantine/core'
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
import { Name } from '../format/name.tsx'
import { sizeText } from '../format/size-text.ts'
import { confirmCancel } from './confirm-cancel.tsx'
import { isOver, type UploadItem } from './upload-item.ts'
import { uploadWords } from './upload-words.ts'
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
        {isReady ? sizeText(file.size) : uploadWords(item, isOnline)}
      </Text>
    </Stack>
  )
})

/** A slip of the finger costs no more than so many bytes. */
const WORTH_ASKING = 10_000_000

function RowButtons({ item }: { item: UploadItem }) {
  const uploads = useUploads()
  const { key, file, progress } = item
  const { state, bytes } = progress
  const buttons = [
    (state === 'waiting' || state === 'sending') && {
      label: 'Pause',
      Icon: IconPlayerPause,
      does: () => uploads.pause(key),
    },
    state === 'paused' && { label: 'Go on', Icon: IconPlayerPlay, does: () => uploads.resume(key) },
    state === 'stopped' && {
      label: 'Try again',
      Icon: IconRefresh,
      does: () => uploads.retry(key),
    },
    state !== 'finishing' && {
      label: isOver(item) ? 'Take off the list' : 'Cancel',
      Icon: IconX,
      does: () =>
        isOver(item) || bytes < WORTH_ASKING
          ? uploads.remove(key)
          : confirmCancel(file.name, () => uploads.remove(key)),
    },
  ]
  return (
    <Group gap={2} wrap="nowrap">
      {buttons.map(
        (button) =>
          button && (
            <Tooltip key={button.label} label={button.label}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${button.label}: ${file.name}`}
                onClick={button.does}
              >
                <button.Icon size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          ),
      )}
    </Group>
  )
}
