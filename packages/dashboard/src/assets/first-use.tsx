import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { IconCloudUpload, IconSearchOff } from '@tabler/icons-react'

/** Nothing was ever stored: what to do first. */
export function FirstUse() {
  return (
    <Center mih={320}>
      <Stack align="center" gap="xs" ta="center" maw={420}>
        <IconCloudUpload size={56} stroke={1.2} color="var(--mantine-color-anchor)" aria-hidden />
        <Title order={2} size="h3">
          Drop your first file here
        </Title>
        <Text c="dimmed">
          Files and whole folders, anywhere on this page, of any size. An upload that is cut off
          goes on where it was.
        </Text>
      </Stack>
    </Center>
  )
}

export function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <Center mih={320}>
      <Stack align="center" gap="sm" ta="center">
        <IconSearchOff size={48} stroke={1.2} color="var(--mantine-color-dimmed)" aria-hidden />
        <Title order={2} size="h3">
          No asset matches
        </Title>
        <Button variant="default" onClick={onClear}>
          Clear the search and filters
        </Button>
      </Stack>
    </Center>
  )
}
