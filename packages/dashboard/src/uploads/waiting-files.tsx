/* Files that were picked and cannot be uploaded yet: the reasons, and what the user can do about them. */

import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { useState } from 'react'
import { Link } from 'wouter'
import { Dialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { countText } from '../format.ts'
import { IconDatabaseOff, IconPlugConnectedX } from '../icons/icons.tsx'
import type { NameConflict, StorageShortage } from './check-files.ts'
import type { PickedFile } from './picked-file.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import type { ConflictChoice } from './uploads-state.ts'

/** In the order of the buttons. */
const CONFLICT_CHOICES: { choice: ConflictChoice; label: string }[] = [
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
      {conflict && <ConflictQuestion conflict={conflict} count={conflicts.length} />}
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

function ConflictQuestion({ conflict, count }: { conflict: NameConflict; count: number }) {
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
        {CONFLICT_CHOICES.map(({ choice, label }) => (
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

/** Reports files that do not fit into the plan, before anything is uploaded. */
export function StorageAlert({ shortage }: { shortage: StorageShortage }) {
  const uploads = useUploads()
  const alert = useFocusHandover<HTMLDivElement>()
  const { files, fitting, needed, available } = shortage
  const [first] = files
  const isSingle = files.length === 1
  return (
    <Alert
      ref={alert}
      color="red"
      title="Not enough storage"
      icon={<IconDatabaseOff aria-hidden />}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={uploads.dismissShortage}
      role="alert"
    >
      <Text size="sm" lineClamp={6}>
        {isSingle ? (
          <Quoted>{first?.file.name}</Quoted>
        ) : (
          `These ${countText(files.length, 'file')}`
        )}{' '}
        {isSingle ? 'needs' : 'need'} {formatSize(needed)}, but only {formatSize(available)} is
        available. {isSingle ? 'It was not uploaded.' : 'None of them was uploaded.'} Delete files
        that you no longer need, or ask the operator of the service to upgrade the plan.
      </Text>
      <Group gap="xs" mt="xs">
        {fitting.length > 0 && (
          <Button size="compact-sm" onClick={uploads.addFitting}>
            Upload {countText(fitting.length, 'file')} that {fitting.length === 1 ? 'fits' : 'fit'}
          </Button>
        )}
        <Button size="compact-sm" variant="default" component={Link} href="/storage">
          View storage usage
        </Button>
      </Group>
    </Alert>
  )
}

function Quoted({ children }: { children: string | undefined }) {
  return (
    <>
      “<bdi dir="auto">{children}</bdi>”
    </>
  )
}

/** Files that were picked while the service could not be reached. */
export function WaitingFiles({ files }: { files: readonly PickedFile[] }) {
  const uploads = useUploads()
  const alert = useFocusHandover<HTMLDivElement>()
  const subject = files.length === 1 ? files[0]?.file.name : countText(files.length, 'file')
  return (
    <Alert
      ref={alert}
      color="orange"
      title="The service cannot be reached"
      icon={<IconPlugConnectedX aria-hidden />}
      role="status"
    >
      <Text size="sm" lineClamp={4} mb="xs">
        <bdi dir="auto">{subject}</bdi> will be uploaded as soon as the service responds. Keep this
        page open.
      </Text>
      <Button size="compact-sm" variant="default" onClick={uploads.cancelWaiting}>
        Do not upload
      </Button>
    </Alert>
  )
}
