import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { useState } from 'react'
import { DateTime } from '../components/date-time.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Name } from '../components/name.tsx'
import { countText } from '../format/count-text.ts'
import type { NameConflict } from './find-conflicts.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import type { ConflictChoice } from './uploads-state.ts'

/** In the order of the buttons. To replace the stored file, add a choice here and to `ConflictChoice`. */
const CHOICES: { choice: ConflictChoice; label: string }[] = [
  { choice: 'skip', label: 'Skip' },
  { choice: 'keep-both', label: 'Keep both' },
]

/** Asks what to do with files whose names already exist, in one dialog for all of them. */
export function ConflictDialog() {
  const uploads = useUploads()
  const { conflicts } = useUploadsState()
  const [conflict] = conflicts
  return (
    <Dialog
      isOpen={conflict !== undefined}
      // Nothing is uploaded without a decision.
      onClose={() => uploads.resolveConflict('skip', { isForAll: true })}
      title="A file with this name already exists"
    >
      {conflict && <Question conflict={conflict} count={conflicts.length} />}
    </Dialog>
  )
}

function Question({ conflict, count }: { conflict: NameConflict; count: number }) {
  const uploads = useUploads()
  const [isForAll, setForAll] = useState(count > 1)
  const { picked, existing } = conflict
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
        <br />
        New: {formatSize(picked.file.size)}, modified{' '}
        <DateTime value={new Date(picked.file.lastModified).toISOString()} />
      </Text>
      {count > 1 && (
        <Checkbox
          label={`Apply to all ${countText(count, 'file')}`}
          checked={isForAll}
          onChange={({ currentTarget }) => setForAll(currentTarget.checked)}
        />
      )}
      <Group justify="flex-end">
        {CHOICES.map(({ choice, label }) => (
          <Button
            key={choice}
            variant={choice === 'keep-both' ? 'filled' : 'default'}
            onClick={() => uploads.resolveConflict(choice, { isForAll: isForAll && count > 1 })}
          >
            {label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
