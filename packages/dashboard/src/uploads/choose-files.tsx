import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { IconChevronDown, IconFolderPlus, IconLink, IconUpload } from '@tabler/icons-react'
import { useRef } from 'react'
import { useAddFiles } from './use-add-files.ts'

/** The ways in, for those who would rather not drop things. */
export function ChooseFiles({ onLink }: { onLink(): void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  return (
    <Group gap={1} wrap="nowrap">
      <FileInput reference={files} />
      <FileInput reference={folder} isFolder />
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
            aria-label="More ways to add"
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
            Upload a folder
          </Menu.Item>
          <Menu.Item leftSection={<IconLink size={18} aria-hidden />} onClick={onLink}>
            Add a link
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

interface InputProps {
  reference: React.RefObject<HTMLInputElement | null>
  isFolder?: boolean
}

function FileInput({ reference, isFolder = false }: InputProps) {
  const addFiles = useAddFiles()
  return (
    <input
      ref={reference}
      type="file"
      multiple
      hidden
      aria-label={isFolder ? 'Folder to upload' : 'Files to upload'}
      {...(isFolder && { webkitdirectory: '' })}
      onChange={({ currentTarget }) => {
        const chosen = Array.from(currentTarget.files ?? [])
        // The same file may be chosen again.
        currentTarget.value = ''
        void addFiles(chosen)
      }}
    />
  )
}
