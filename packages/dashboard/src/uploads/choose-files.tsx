import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { IconChevronDown, IconFolderPlus, IconLink, IconUpload } from '@tabler/icons-react'
import { useRef } from 'react'
import { useAddFiles } from './use-add-files.ts'

/** Buttons to upload files or a folder, or to add a link. */
export function ChooseFiles({ onLink }: { onLink(): void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  return (
    <Group gap={1} wrap="nowrap">
      <FileInput inputRef={files} />
      <FileInput inputRef={folder} isFolder />
      <Button
        leftSection={<IconUpload size={18} aria-hidden />}
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
          <Menu.Item leftSection={<IconLink size={18} aria-hidden />} onClick={onLink}>
            Add link
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

interface InputProps {
  inputRef: React.RefObject<HTMLInputElement | null>
  isFolder?: boolean
}

function FileInput({ inputRef, isFolder = false }: InputProps) {
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
        const files = Array.from(currentTarget.files ?? [])
        // Otherwise choosing the same files again would not count as a change.
        currentTarget.value = ''
        void addFiles(files)
      }}
    />
  )
}
