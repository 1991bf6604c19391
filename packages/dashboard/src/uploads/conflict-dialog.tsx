import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { useState } from 'react'
import { DateTime } from '../components/date-time.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Name } from '../components/name.tsx'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import type { NameConflict } from './find-conflicts.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import type { ConflictChoice } from './uploads-state.ts'

/** In the order of the buttons. */
const CHOICES: { choice: ConflictChoice; label: string }[] = [
  { choice: 'skip', label: 'Skip' },
  { choice: 'keep-both', label: 'Keep both' },
  { choice: 'replace', label: 'Replace' },
]

/** Asks what to do with files whose names already exist, in one dialog for all of them. */
export function ConflictDialog() {
  const { conflicts } = useUploadsState()
  const resolve = useResolve(conflicts.length)
  const [conflict] = conflicts
  return (
    <Dialog
      isOpen={conflict !== undefined}
      // Nothing is uploaded without a decision.
      onClose={() => resolve('skip', true)}
      title={
        conflicts.length > 1
          ? `${countText(conflicts.length, 'file')} already exist`
          : 'A file with this name already exists'
      }
    >
      {conflict && <Question conflict={conflict} count={conflicts.length} />}
    </Dialog>
  )
}

/** Skipped files do not appear in the tray, so a notification reports them. */
function useResolve(count: number) {
  const uploads = useUploads()
  return (choice: ConflictChoice, isForAll: boolean) => {
    uploads.resolveConflict(choice, { isForAll })
    if (choice === 'skip') notify({ message: `${countText(isForAll ? count : 1, 'file')} skipped` })
  }
}

function Question({ conflict, count }: { conflict: NameConflict; count: number }) {
  const resolve = useResolve(count)
  const [isForAll, setForAll] = useState(count > 1)
  const { picked, existing, count: sameNames } = conflict
  const suggested = picked.file.size === existing.bytes ? 'skip' : 'keep-both'
  return (
    <Stack gap="sm">
      <div>
        <Name fw={600}>{picked.file.name}</Name>
        {picked.folder !== '' && (
          <Name fz="sm" c="dimmed">
            {picked.folder}
          </Name>
        )}
      </div>
      <Text size="sm">
        Stored: {existing.size}, added <DateTime value={existing.created_at} />
        {sameNames > 1 && ` (the newest of ${countText(sameNames, 'asset')} with this name)`}
        <br />
        New: {formatSize(picked.file.size)}, modified{' '}
        <DateTime value={new Date(picked.file.lastModified).toISOString()} />
      </Text>
      <Text size="sm" c="dimmed">
        “Replace” keeps the asset and its products, and all links to it stay valid. Buyers get the
        new file as soon as it is uploaded.
      </Text>
      {count > 1 && (
        <Checkbox
          label={`Apply to all ${countText(count, 'file')}`}
          checked={isForAll}
          onChange={({ currentTarget }) => setForAll(currentTarget.checked)}
        />
      )}
      <Group justify="flex-end" gap="xs">
        {CHOICES.map(({ choice, label }) => (
          <Button
            key={choice}
            px="md"
            variant={choice === suggested ? 'filled' : 'default'}
            data-autofocus={choice === suggested || undefined}
            onClick={() => resolve(choice, isForAll && count > 1)}
          >
            {label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
