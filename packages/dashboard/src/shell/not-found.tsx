import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'

export function NotFound() {
  return (
    <Stack align="flex-start">
      <Title order={1}>Nothing is here</Title>
      <Text>The address may be mistyped, or what was here is gone.</Text>
      <Anchor component={Link} href="/">
        To your assets
      </Anchor>
    </Stack>
  )
}
