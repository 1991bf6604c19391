import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useTitle } from '../components/use-title.ts'

export function NotFound() {
  useTitle('Page not found')
  return (
    <Stack align="flex-start" gap="xs">
      <Title order={1} size="h2">
        Page not found
      </Title>
      <Text c="dimmed">Check the URL, or start from the list of assets.</Text>
      <Anchor component={Link} href="/">
        Go to assets
      </Anchor>
    </Stack>
  )
}
