import { Group, Progress, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import {
  IconChecks,
  IconChevronDown,
  IconChevronUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
} from '@tabler/icons-react'
import { countText, numberText } from '../format/count-text.ts'
import { confirmCancel } from './confirm-cancel.tsx'
import { IconButtons } from './icon-buttons.tsx'
import { paceWords } from './status-text.ts'
import type { UploadTotals } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props {
  totals: UploadTotals
  isOnline: boolean
  isOpen: boolean
  onToggle(): void
}

/** All of them together. */
export function TrayHeader({ totals, isOnline, isOpen, onToggle }: Props) {
  const uploads = useUploads()
  const { files, done, failed, paused, underWay, bytes, total } = totals
  const isDone = done === files
  const waiting = countText(underWay + paused, 'upload')
  const pause = { label: 'Pause all', Icon: IconPlayerPause, does: uploads.pauseAll }
  const goOn = { label: 'Go on with all', Icon: IconPlayerPlay, does: uploads.resumeAll }
  const cancel = {
    label: 'Cancel all',
    Icon: IconPlayerStop,
    does: () => confirmCancel({ what: waiting }, uploads.cancelAll),
  }
  const clear = { label: 'Clear finished', Icon: IconChecks, does: uploads.clearDone }
  const toggle = {
    label: isOpen ? 'Hide the files' : 'Show the files',
    Icon: isOpen ? IconChevronDown : IconChevronUp,
    does: onToggle,
  }
  const places = [
    underWay > 0 ? pause : paused > 0 ? goOn : undefined,
    underWay + paused > 1 ? cancel : undefined,
    done > 0 ? clear : undefined,
    toggle,
  ]
  return (
    <Stack gap={4} px="md" py="sm">
      <Group wrap="nowrap" justify="space-between" gap="xs">
        <Text fw={600} size="sm">
          {titleOf(totals, isOnline)}
        </Text>
        <IconButtons places={places} />
      </Group>
      {!isDone && (
        <Progress
          value={total === 0 ? 0 : (100 * bytes) / total}
          aria-label="Progress of all uploads"
        />
      )}
      <Text size="xs" c="dimmed">
        {formatSize(bytes)} of {formatSize(total)}
        {isOnline && paceWords(totals)}
        {failed > 0 && ` · ${numberText(failed)} failed`}
      </Text>
    </Stack>
  )
}

function titleOf(
  { files, done, failed, paused, underWay }: UploadTotals,
  isOnline: boolean,
): string {
  const of = `${numberText(done)} of ${countText(files, 'file')}`
  if (underWay > 0) return isOnline ? `Uploading · ${of} done` : `Offline · ${of} done`
  if (paused > 0) return `Paused · ${of} done`
  if (failed > 0) return `${of} uploaded`
  return `${countText(files, 'file')} uploaded`
}
