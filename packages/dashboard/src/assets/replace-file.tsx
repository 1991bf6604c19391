import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { Fragment, useCallback, useEffect, useRef, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { FileButton } from '../components/file-button.tsx'
import { dismissNotices, notify } from '../components/notifications.tsx'
import { Detail, DetailList } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { sizeText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { common } from '../i18n/en/common.ts'
import { formOf, plural, rich } from '../i18n/texts.ts'
import { IconReplace } from '../icons/icons.tsx'
import { useAddFiles } from '../uploads/add-files.tsx'
import { type PickedFile, pickFiles } from '../uploads/picked-file.ts'
import { isActive } from '../uploads/upload-item.ts'
import { useUploads, useUploadsState } from '../uploads/uploads.tsx'
import { useVersions } from './asset-versions.tsx'

/** A button to replace the file. While the page is open, a dropped file replaces it too. */
export function ReplaceFile({ asset }: { asset: Asset }) {
  const { setTarget } = useUploads()
  const { items } = useUploadsState()
  const [files, setFiles] = useState<readonly PickedFile[]>()
  const isReplacing = items.some(
    (item) =>
      item.replaces?.id === asset.id && (isActive(item) || item.progress.state === 'paused'),
  )
  const isBusy = useRef(isReplacing)
  isBusy.current = isReplacing

  // Another file is refused only until this replacement has ended.
  const subject = `replacement:${asset.id}`
  const onFiles = useCallback(
    (found: readonly PickedFile[]) => {
      if (!isBusy.current) setFiles(found)
      else {
        notify({
          isError: true,
          title: texts.beingReplaced,
          message: texts.waitOrCancel,
          about: [subject],
        })
      }
    },
    [subject],
  )
  useEffect(() => {
    if (isReplacing) return () => dismissNotices([subject])
  }, [isReplacing, subject])

  useEffect(() => {
    setTarget({ text: texts.dropToReplace, name: asset.filename, onFiles })
    return () => setTarget(undefined)
  }, [setTarget, asset.filename, onFiles])

  return (
    <>
      <FileButton onChange={(file) => file && onFiles(pickFiles([file]))}>
        {({ onClick }) => (
          <ActionButton
            variant="default"
            leftSection={<IconReplace size={18} aria-hidden />}
            isBusy={isReplacing}
            onClick={onClick}
          >
            {texts.replaceFile}
          </ActionButton>
        )}
      </FileButton>
      <ReplaceDialog asset={asset} files={files} onClose={() => setFiles(undefined)} />
    </>
  )
}

interface ReplaceDialogProps {
  asset: Asset
  /** Undefined while the dialog is closed. */
  files: readonly PickedFile[] | undefined
  onClose(): void
}

/** Asks before a file is replaced. Several files or a folder cannot replace it, but can become new assets. */
function ReplaceDialog({ asset, files = [], onClose }: ReplaceDialogProps) {
  const [file] = files
  const isSingle = files.length === 1 && file?.folder === ''
  return (
    <Dialog
      isOpen={file !== undefined}
      onClose={onClose}
      title={isSingle ? texts.replaceQuestion : texts.onlyOne}
    >
      {isSingle && <ReplaceForm asset={asset} picked={file} onClose={onClose} />}
      {!isSingle && file && <UploadInstead asset={asset} files={files} onClose={onClose} />}
    </Dialog>
  )
}

interface ReplaceFormProps {
  asset: Asset
  picked: PickedFile
  onClose(): void
}

function ReplaceForm({ asset, picked, onClose }: ReplaceFormProps) {
  const addFiles = useAddFiles()
  const { resumable } = useUploadsState()
  const { id, filename } = asset
  const { file } = picked
  const name = file.name.normalize('NFC')
  const isOtherName = name !== filename
  const isOtherType = extensionOf(name) !== extensionOf(filename)
  const [isRenaming, setRenaming] = useState(isOtherType)
  // An unfinished replacement with the same file is resumed instead.
  const discarded = resumable.find(
    (upload) =>
      upload.replaces?.id === id && (upload.name !== file.name || upload.size !== file.size),
  )
  const add = (replaces: PickedFile['replaces']) => {
    onClose()
    void addFiles([{ ...picked, replaces }])
  }
  return (
    <Stack gap="sm">
      <DetailList>
        <Detail name={texts.stored}>
          <Name>{filename}</Name>
          {sizeText(asset.bytes)}
        </Detail>
        <Detail name={texts.new}>
          <Name>{name}</Name>
          {sizeText(file.size)}
        </Detail>
      </DetailList>
      {isOtherName && (
        <Checkbox
          label={texts.useNewName}
          description={isOtherType && texts.otherExtension}
          checked={isRenaming}
          onChange={({ currentTarget }) => setRenaming(currentTarget.checked)}
        />
      )}
      <Text size="sm" c="dimmed">
        {texts.replaceHint}
      </Text>
      <RemovedVersions asset={asset} />
      {discarded && (
        <Text size="sm" c="var(--mantine-color-error)">
          {rich(texts.discarded, { name: <bdi dir="auto">{discarded.name}</bdi> })}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => add(undefined)}>
          {texts.uploadAsNew}
        </Button>
        <Button
          data-autofocus
          onClick={() =>
            add({ id, filename, newName: isOtherName && isRenaming ? name : undefined })
          }
        >
          {texts.replace}
        </Button>
      </Group>
    </Stack>
  )
}

/** The versions that will no longer be available after the replacement. */
function RemovedVersions({ asset }: { asset: Asset }) {
  const { data = [] } = useVersions(asset)
  const removed = data.filter(({ removed_next }) => removed_next)
  if (removed.length === 0) return null
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      {rich(texts.removedForGood, {
        versions: removed.map(({ version: number, filename, bytes }, index) => {
          const facts = { name: <bdi dir="auto">{filename}</bdi>, size: sizeText(bytes) }
          return (
            <Fragment key={number}>
              {index > 0 && ', '}
              {number === asset.version
                ? rich(texts.currentRemoved, facts)
                : rich(texts.versionRemoved, { ...facts, number })}
            </Fragment>
          )
        }),
      })}
    </Text>
  )
}

interface UploadInsteadProps {
  asset: Asset
  files: readonly PickedFile[]
  onClose(): void
}

function UploadInstead({ asset, files, onClose }: UploadInsteadProps) {
  const addFiles = useAddFiles()
  const isFolder = files.every(({ folder }) => folder !== '')
  const upload = () => {
    onClose()
    void addFiles(files)
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        {rich(formOf(isFolder ? texts.droppedFolder : texts.droppedFiles, files.length), {
          count: files.length,
          name: <bdi dir="auto">{asset.filename}</bdi>,
        })}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {common.cancel}
        </Button>
        <Button onClick={upload}>{plural(texts.uploadAsAssets, files.length)}</Button>
      </Group>
    </Stack>
  )
}

/** In lower case, such as `pdf`. Empty if there is none. */
function extensionOf(name: string): string {
  return /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
