import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { DateTime } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { DiscardUpload } from './discard-upload.tsx'
import { replacementText } from './replacement-text.ts'
import type { ResumableUpload } from './resumable-upload.ts'
import { useUploads } from './uploads.tsx'

/** Asks for the file again, because a page cannot keep access to files across a reload. */
export function ResumableRow({ upload }: { upload: ResumableUpload }) {
  const uploads = useUploads()
  const row = useFocusHandover<HTMLDivElement>()
  const { name, size, path, startedAt, problem, replaces } = upload
  return (
    <Stack ref={row} component="li" gap={4} py={8}>
      <Name fz="sm">{name}</Name>
      {path !== null && (
        <Name fz="xs" c="dimmed">
          {path}
        </Name>
      )}
      {replaces && (
        <Name fz="xs" c="dimmed">
          {replacementText(replaces, name)}
        </Name>
      )}
      <Text size="xs" c="dimmed">
        {formatSize(size)} · started <DateTime value={startedAt} />
      </Text>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      <Group gap="xs">
        <FileButton onChange={(file) => file && uploads.resumeWith(upload, file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="light">
              Choose file to resume
            </Button>
          )}
        </FileButton>
        <DiscardUpload size="compact-sm" variant="subtle" color="gray" upload={upload} />
      </Group>
    </Stack>
  )
}
