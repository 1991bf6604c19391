import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { Moment } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { GiveUp } from './discard-upload.tsx'
import type { OfferedUpload } from './resumable-upload.ts'
import { useUploads } from './uploads.tsx'

/** Browsers keep no hold of files: so it is asked for once more. */
export function OfferRow({ offer }: { offer: OfferedUpload }) {
  const uploads = useUploads()
  const { name, size, startedAt, problem } = offer
  return (
    <Stack component="li" gap={4} py={8}>
      <Name fz="sm">{name}</Name>
      <Text size="xs" c="dimmed">
        {formatSize(size)} · begun <Moment at={startedAt} />
      </Text>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      <Group gap="xs">
        <FileButton onChange={(file) => file && uploads.goOnWith(offer, file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="light">
              Choose the file to go on
            </Button>
          )}
        </FileButton>
        <GiveUp size="compact-sm" variant="subtle" color="gray" offer={offer} />
      </Group>
    </Stack>
  )
}
