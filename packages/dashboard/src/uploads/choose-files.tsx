import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { useRef } from 'react'
import { IconChevronDown, IconFolderPlus, IconLink, IconTag, IconUpload } from '../icons/icons.ts'
import { type PickedFile, pickFiles } from './picked-file.ts'
import { useAddFiles } from './use-add-files.ts'

interface Props {
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
export function ChooseFiles({ attach, isDisabled = false, onChosen, ...items }: Props) {
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
        Upload
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            size={36}
            variant="filled"
            disabled={isDisabled}
            aria-label="More upload options"
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
            Upload folder
          </Menu.Item>
          {onChooseProducts && (
            <Menu.Item leftSection={<IconTag size={18} aria-hidden />} onClick={onChooseProducts}>
              Upload and attach to products
            </Menu.Item>
          )}
          {onLink && (
            <Menu.Item leftSection={<IconLink size={18} aria-hidden />} onClick={onLink}>
              Add URL
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

interface InputProps extends Pick<Props, 'attach'> {
  onChosen: (() => void) | undefined
  inputRef: React.RefObject<HTMLInputElement | null>
  isFolder?: boolean
}

function FileInput({ inputRef, attach, onChosen, isFolder = false }: InputProps) {
  const addFiles = useAddFiles()
  return (
    <input
      ref={inputRef}
      type="file"
      multiple
      hidden
      aria-label={isFolder ? 'Folder to upload' : 'Files to upload'}
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
