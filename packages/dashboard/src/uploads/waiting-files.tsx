/* Files that were picked and cannot be uploaded yet: the reasons, and what the user can do about them. */

import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { TrashLink } from '../components/page-states.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { errorText, sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { plural, rich } from '../i18n/texts.ts'
import { IconCircleCheck, IconDatabaseOff, IconPlugConnectedX } from '../icons/icons.tsx'
import { useAccount } from '../session/account.tsx'
import { bytesToReserve, divideByStorage, type NameConflict, totalSizeOf } from './check-files.ts'
import type { PickedFile } from './picked-file.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import type { ConflictChoice } from './uploads-state.ts'
import classes from './waiting-files.module.css'

/** In the order of the buttons. */
const CONFLICT_CHOICES = [
  { choice: 'skip', label: 'skip' },
  { choice: 'keep-both', label: 'keepBoth' },
  { choice: 'replace', label: 'replace' },
] as const satisfies { choice: ConflictChoice; label: string }[]

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
      title={conflicts.length > 1 ? plural(texts.filesExist, conflicts.length) : texts.fileExists}
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
    if (choice === 'skip') notify({ message: plural(texts.skipped, isForAll ? count : 1) })
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
        {rich(texts.stored, {
          size: sizeText(existing.bytes ?? 0),
          date: <DateTime value={existing.created_at} />,
        })}
        {sameNames > 1 && ` ${plural(texts.newestOf, sameNames)}`}
        <br />
        {rich(texts.picked, {
          size: sizeText(picked.file.size),
          date: <DateTime value={new Date(picked.file.lastModified).toISOString()} />,
        })}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.replaceHint}
      </Text>
      {count > 1 && (
        <Checkbox
          label={plural(texts.applyToAll, count)}
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
            {texts[label]}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

/** The maximum number of names in the alert. */
const MAX_NAMES = 50
/** With more names, their list scrolls. */
const MAX_VISIBLE = 4

/**
 * Names the files that the plan had no room for. Storage that becomes available, or is taken, changes what the alert
 * offers.
 */
export function StorageAlert({ files }: { files: readonly PickedFile[] }) {
  const alert = useFocusHandover<HTMLDivElement>()
  const uploads = useUploads()
  const { available, withoutTrash } = useAvailable(files)
  const retry = useRetryRefused()
  const needed = totalSizeOf(files)
  const { accepted: fitting } = divideByStorage(files, available ?? 0)
  const isAll = fitting.length === files.length
  const needsTrash = withoutTrash !== undefined && totalSizeOf(fitting) > withoutTrash
  const size = sizeText(needed)
  return (
    <Alert
      ref={alert}
      color={isAll ? 'cyan' : 'red'}
      title={isAll ? texts.storageAvailable : plural(texts.noStorage, files.length)}
      icon={isAll ? <IconCircleCheck aria-hidden /> : <IconDatabaseOff aria-hidden />}
      withCloseButton
      closeButtonLabel={common.dismiss}
      onClose={uploads.dismissRefused}
      role="alert"
      classNames={{ body: classes.body }}
    >
      {/* While it has the focus, the arrow keys scroll it. */}
      <ul className={classes.names} tabIndex={files.length > MAX_VISIBLE ? 0 : undefined}>
        {files.slice(0, MAX_NAMES).map(({ file, folder }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
          <li key={index}>
            <Name>{folder === '' ? file.name : `${folder}/${file.name}`}</Name>
            <span>{sizeText(file.size)}</span>
          </li>
        ))}
        {files.length > MAX_NAMES && <li>{plural(texts.moreFiles, files.length - MAX_NAMES)}</li>}
      </ul>
      <Text size="sm">
        {available === undefined
          ? plural(texts.notUploadedNeeded, files.length, { needed: size })
          : plural(texts.notUploaded, files.length, {
              needed: size,
              available: sizeText(available),
            })}
        {!isAll && ` ${texts.makeRoom}`}
        {needsTrash && <> {rich(texts.removesTrash, { trash: <TrashLink /> })}</>}
      </Text>
      <Group gap="xs" mt="xs">
        <ActionButton size="compact-sm" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {fitting.length === 0
            ? common.tryAgain
            : plural(isAll ? texts.uploadFiles : texts.uploadFitting, fitting.length)}
        </ActionButton>
        <Button size="compact-sm" variant="default" component={Link} href="/storage">
          {texts.viewStorage}
        </Button>
      </Group>
    </Alert>
  )
}

/**
 * The storage that uploads of this tab have not taken, as it is now, with and without what is in the trash. Undefined
 * until it is loaded.
 */
function useAvailable(files: readonly PickedFile[]) {
  const { data, refetch } = useAccount()
  const { items } = useUploadsState()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the storage has changed since files were refused
  useEffect(() => void refetch(), [files, refetch])
  if (data === undefined) return {}
  const available = Math.max(0, data.available - bytesToReserve(items))
  return { available, withoutTrash: Math.max(0, available - data.trash) }
}

function useRetryRefused() {
  const uploads = useUploads()
  return useMutation({
    mutationFn: uploads.retryRefused,
    onSuccess(count) {
      if (count > 0) return
      notify({ isError: true, title: texts.stillNoStorage, message: texts.noFilesMessage })
    },
    onError: (error) => notify({ isError: true, title: texts.noFiles, message: errorText(error) }),
  })
}

/** Files that were picked while the service could not be reached. */
export function WaitingFiles({ files }: { files: readonly PickedFile[] }) {
  const uploads = useUploads()
  const alert = useFocusHandover<HTMLDivElement>()
  return (
    <Alert
      ref={alert}
      color="orange"
      title={plural(texts.waiting, files.length)}
      icon={<IconPlugConnectedX aria-hidden />}
      role="status"
    >
      <Text size="sm" lineClamp={4} mb="xs">
        {files.length === 1
          ? rich(texts.waitingOne, { name: <bdi dir="auto">{files[0]?.file.name}</bdi> })
          : plural(texts.waitingMany, files.length)}
      </Text>
      <Button size="compact-sm" variant="default" onClick={uploads.cancelWaiting}>
        {texts.doNotUpload}
      </Button>
    </Alert>
  )
}
