import { Group, Progress, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { countText, numberText } from '../format/count-text.ts'
import {
  IconChecks,
  IconChevronDown,
  IconChevronUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconX,
} from '../icons/icons.ts'
import { IconButtons } from './icon-buttons.tsx'
import { paceText } from './status-text.ts'
import type { UploadTotals } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props {
  totals: UploadTotals
  isOnline: boolean
  isOpen: boolean
  onToggle(): void
  onCancelAll(): void
}

/** The total progress of all uploads. */
export function TrayHeader({ totals, isOnline, isOpen, onToggle, onCancelAll }: Props) {
  const uploads = useUploads()
  const { files, done, failed, paused, active, bytes, total } = totals
  const isDone = done === files
  const pause = { label: 'Pause all', Icon: IconPlayerPause, run: uploads.pauseAll }
  const resume = { label: 'Resume all', Icon: IconPlayerPlay, run: uploads.resumeAll }
  const cancel = { label: 'Cancel all', Icon: IconPlayerStop, run: onCancelAll }
  // Once all uploads are done, this button closes the tray.
  const clear = {
    label: 'Clear finished',
    Icon: isDone ? IconX : IconChecks,
    run: uploads.clearDone,
  }
  const toggle = {
    label: isOpen ? 'Hide files' : 'Show files',
    Icon: isOpen ? IconChevronDown : IconChevronUp,
    run: onToggle,
  }
  const actions = [
    active > 0 ? pause : paused > 0 ? resume : undefined,
    active + paused > 1 ? cancel : undefined,
    done > 0 ? clear : undefined,
    toggle,
  ]
  return (
    <Stack gap={4} px="md" py="sm">
      <Group wrap="nowrap" justify="space-between" gap="xs">
        <Text fw={600} size="sm">
          {titleOf(totals, isOnline)}
        </Text>
        <IconButtons actions={actions} />
      </Group>
      {!isDone && (
        <Progress
          value={total === 0 ? 0 : (100 * bytes) / total}
          aria-label="Progress of all uploads"
        />
      )}
      {(isOpen || !isDone) && (
        <Text size="xs" c="dimmed">
          {formatSize(bytes)} of {formatSize(total)}
          {isOnline && paceText(totals)}
          {failed > 0 && ` · ${numberText(failed)} failed`}
        </Text>
      )}
    </Stack>
  )
}

function titleOf({ files, done, failed, paused, active }: UploadTotals, isOnline: boolean): string {
  const of = `${numberText(done)} of ${countText(files, 'file')}`
  if (active > 0) return isOnline ? `Uploading · ${of} done` : `Offline · ${of} done`
  if (paused > 0) return `Paused · ${of} done`
  if (failed > 0) return `${of} uploaded`
  return `${countText(files, 'file')} uploaded`
}
