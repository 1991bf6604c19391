import { Button, Code, Text } from '@mantine/core'
import { IconFileImport, IconTag } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Blank } from '../shell/blank.tsx'

/** There never was one: what to do first. */
export function FirstProducts() {
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
