import { Button, Checkbox, FileButton, Group, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { Fragment, useCallback, useEffect, useRef, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { Detail, DetailList } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { countText } from '../format.ts'
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

  const onFiles = useCallback((found: readonly PickedFile[]) => {
    if (!isBusy.current) setFiles(found)
    else {
      notify({
        isError: true,
        title: 'This file is already being replaced',
        message: 'Wait until the upload is complete, or cancel it.',
      })
    }
  }, [])

  useEffect(() => {
    setTarget({ text: 'Drop a file to replace', name: asset.filename, onFiles })
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
            Replace file
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
      title={isSingle ? 'Replace this file?' : 'Only one file can replace this file'}
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
        <Detail name="Stored">
          <Name>{filename}</Name>
          {asset.size}
        </Detail>
        <Detail name="New">
          <Name>{name}</Name>
          {formatSize(file.size)}
        </Detail>
      </DetailList>
      {isOtherName && (
        <Checkbox
          label="Use the name of the new file"
          description={isOtherType && 'The new file has a different extension.'}
          checked={isRenaming}
          onChange={({ currentTarget }) => setRenaming(currentTarget.checked)}
        />
      )}
      <Text size="sm" c="dimmed">
        The asset keeps its products, and all links to it stay valid. Buyers get the new file as
        soon as it is uploaded.
      </Text>
      <RemovedVersions asset={asset} />
      {discarded && (
        <Text size="sm" c="var(--mantine-color-error)">
          The unfinished replacement with “<bdi dir="auto">{discarded.name}</bdi>” will be
          discarded.
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => add(undefined)}>
          Upload as new asset
        </Button>
        <Button
          data-autofocus
          onClick={() =>
            add({ id, filename, newName: isOtherName && isRenaming ? name : undefined })
          }
        >
          Replace
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
      {removed.map(({ version, filename, size }, index) => (
        <Fragment key={version}>
          {index > 0 && ', '}
          {version === asset.version ? 'The current version' : `Version ${version}`} (
          <bdi dir="auto">{filename}</bdi>, {size})
        </Fragment>
      ))}{' '}
      will be removed for good. To keep it, download it first.
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
  const count = countText(files.length, 'file')
  const isFolder = files.every(({ folder }) => folder !== '')
  const upload = () => {
    onClose()
    void addFiles(files)
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        You dropped {isFolder ? `a folder with ${count}` : count}. To replace “
        <bdi dir="auto">{asset.filename}</bdi>”, drop one file. Nothing has been uploaded yet.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button onClick={upload}>
          Upload {count} as {files.length === 1 ? 'a new asset' : 'new assets'}
        </Button>
      </Group>
    </Stack>
  )
}

/** In lower case, such as `pdf`. Empty if there is none. */
function extensionOf(name: string): string {
  return /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
