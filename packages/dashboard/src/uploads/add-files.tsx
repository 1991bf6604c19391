import { ActionIcon, Button, Center, Group, Menu, Paper, Portal, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { notify } from '../components/notifications.tsx'
import { Name } from '../components/values.tsx'
import { errorText } from '../format.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import {
  IconChevronDown,
  IconCloudUpload,
  IconFolderPlus,
  IconLink,
  IconTag,
  IconUpload,
} from '../icons/icons.tsx'
import { useHasScope } from '../session/account.tsx'
import classes from './add-files.module.css'
import { droppedFiles, type PickedFile, pickFiles } from './picked-file.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import type { UploadTarget } from './uploads-state.ts'

/**
 * Uploads files, or passes them to the page that is the target of the drop. Shows a message if there are none or if
 * they cannot be added. While the service cannot be reached, the files wait.
 */
export function useAddFiles(): (
  files: Promise<readonly PickedFile[]> | readonly PickedFile[],
  target?: UploadTarget,
) => Promise<void> {
  const uploads = useUploads()
  return async (files, target) => {
    const reject = (message: string) => notify({ isError: true, title: texts.noFiles, message })
    try {
      const found = await files
      if (found.length === 0) reject(texts.emptyFolder)
      else if (target?.onFiles !== undefined) target.onFiles(found)
      else if (target === undefined) await uploads.add(found)
      else await uploads.add(found.map((one) => ({ ...one, attach: target.attach })))
    } catch (error) {
      reject(errorText(error))
    }
  }
}

interface ChooseFilesProps {
  /** Products to attach the files to. */
  attach?: PickedFile['attach']
  isDisabled?: boolean
  /** Files were chosen, and are about to be uploaded. */
  onChosen?(): void
  /** If given, the menu has an item for it. */
  onLink?(): void
  /** If given, the menu has an item for it. */
  onChooseProducts?(): void
}

/** Buttons to upload files or a folder, or to add a URL. */
export function ChooseFiles({ attach, isDisabled = false, onChosen, ...items }: ChooseFilesProps) {
  const { onLink, onChooseProducts } = items
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  return (
    <Group gap={1} wrap="nowrap">
      <FileInput inputRef={files} attach={attach} onChosen={onChosen} />
      <FileInput inputRef={folder} attach={attach} onChosen={onChosen} isFolder />
      <Button
        leftSection={<IconUpload size={18} aria-hidden />}
        disabled={isDisabled}
        onClick={() => files.current?.click()}
        styles={{ root: { borderStartEndRadius: 0, borderEndEndRadius: 0 } }}
      >
        {texts.upload}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            size={36}
            variant="filled"
            disabled={isDisabled}
            aria-label={texts.moreOptions}
            styles={{ root: { borderStartStartRadius: 0, borderEndStartRadius: 0 } }}
          >
            <IconChevronDown size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconFolderPlus size={18} aria-hidden />}
            onClick={() => folder.current?.click()}
          >
            {texts.uploadFolder}
          </Menu.Item>
          {onChooseProducts && (
            <Menu.Item leftSection={<IconTag size={18} aria-hidden />} onClick={onChooseProducts}>
              {texts.uploadAndAttach}
            </Menu.Item>
          )}
          {onLink && (
            <Menu.Item leftSection={<IconLink size={18} aria-hidden />} onClick={onLink}>
              {texts.addUrl}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

interface FileInputProps extends Pick<ChooseFilesProps, 'attach'> {
  onChosen: (() => void) | undefined
  inputRef: React.RefObject<HTMLInputElement | null>
  isFolder?: boolean
}

function FileInput({ inputRef, attach, onChosen, isFolder = false }: FileInputProps) {
  const addFiles = useAddFiles()
  return (
    <input
      ref={inputRef}
      type="file"
      multiple
      hidden
      aria-label={isFolder ? texts.folderToUpload : texts.filesToUpload}
      {...(isFolder && { webkitdirectory: '' })}
      onChange={({ currentTarget }) => {
        const files = pickFiles(currentTarget.files ?? []).map((one) => ({ ...one, attach }))
        // Otherwise choosing the same files again would not count as a change.
        currentTarget.value = ''
        void addFiles(files)
        if (files.length > 0) onChosen?.()
      }}
    />
  )
}

/** Accepts files and folders that are dropped anywhere in the window, on every page. */
export function DropZone() {
  const [isOver, setOver] = useState(false)
  const addFiles = useAddFiles()
  const canWrite = useHasScope('write')
  const { target } = useUploadsState()
  const add = useRef<typeof addFiles>(undefined)
  add.current = canWrite ? (files) => addFiles(files, target) : undefined

  useEffect(() => {
    // A picture of the page that is dragged counts as a file, too.
    let isOwn = false
    const accept = (event: DragEvent) => {
      if (isOwn) return
      if (hasFiles(event)) event.preventDefault()
      setOver(hasFiles(event))
    }
    const listeners = {
      dragstart() {
        isOwn = true
      },
      dragend() {
        isOwn = false
      },
      // Accept both events: otherwise the browser refuses a drop between `dragenter` and the first `dragover`.
      dragenter: accept,
      dragover: accept,
      dragleave(event: DragEvent) {
        // Null only when the pointer leaves the window.
        if (event.relatedTarget === null) setOver(false)
      },
      // A drag may be cancelled without an event. A `pointermove`, which no drag emits, shows that it has ended.
      pointermove() {
        isOwn = false
        setOver(false)
      },
      drop(event: DragEvent) {
        setOver(false)
        if (isOwn || event.dataTransfer === null || !hasFiles(event)) return
        // Claim the drop even without permission to upload: otherwise the browser would open the file in this tab.
        event.preventDefault()
        void add.current?.(droppedFiles(event.dataTransfer))
      },
    }
    const all = Object.entries(listeners) as [string, (event: Event) => void][]
    for (const [name, listener] of all) addEventListener(name, listener)
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener)
    }
  }, [])

  if (!isOver) return null
  return (
    <Portal>
      <Center className={classes.overlay} aria-hidden>
        <Paper className={classes.target} p="xl">
          <Stack align="center" gap="xs">
            <IconCloudUpload size={48} stroke={1.5} />
            <Text fw={600} size="lg">
              {!canWrite && texts.readOnly}
              {canWrite && (target?.text ?? texts.drop)}
            </Text>
            {canWrite && target?.name !== undefined && <Name fw={600}>{target.name}</Name>}
          </Stack>
        </Paper>
      </Center>
    </Portal>
  )
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}
