import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'

export function NotFound() {
  return (
    <Stack align="flex-start" gap="xs">
      <Title order={1} size="h2">
        Nothing is here
      </Title>
      <Text c="dimmed">The address may be mistyped, or what was here is gone.</Text>
      <Anchor component={Link} href="/">
        To your assets
      </Anchor>
    </Stack>
  )
}
