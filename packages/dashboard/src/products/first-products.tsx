import { Button, Center, Code, Stack, Text, Title } from '@mantine/core'
import { IconFileImport, IconSearchOff, IconTag } from '@tabler/icons-react'
import { Link } from 'wouter'

/** There never was one: what to do first. */
export function FirstProducts() {
  return (
    <Center mih={320}>
      <Stack align="center" gap="xs" ta="center" maw={440}>
        <IconTag size={56} stroke={1.2} color="var(--mantine-color-anchor)" aria-hidden />
        <Title order={2} size="h3">
          Bring in your products
        </Title>
        <Text c="dimmed">
          Then assets can be linked to them. Import a file of your shop, or let your shop’s backend
          send them with <Code>PUT /api/v1/products</Code>.
        </Text>
        <Button
          component={Link}
          href="/products/import"
          mt="sm"
          leftSection={<IconFileImport size={18} aria-hidden />}
        >
          Import products
        </Button>
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
          No product matches
        </Title>
        <Button variant="default" onClick={onClear}>
          Clear the search and filters
        </Button>
      </Stack>
    </Center>
  )
}
