import { Button, Code, Text } from '@mantine/core'
import { IconFileImport, IconTag } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Blank } from '../components/empty-state.tsx'
import { useMay } from '../session/require-scope.tsx'

/** There never was one: what to do first. */
export function FirstProducts() {
  if (!useMay('write')) return <Blank Picture={IconTag} color="dimmed" title="No products yet" />
  return (
    <Blank Picture={IconTag} color="anchor" title="Bring in your products">
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
    </Blank>
  )
}
