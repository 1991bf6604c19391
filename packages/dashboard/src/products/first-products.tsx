import { Button, Code, Text } from '@mantine/core'
import { Link } from 'wouter'
import { EmptyState } from '../components/empty-state.tsx'
import { IconFileImport, IconTag } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'

/** Replaces the list while the account has no products. */
export function FirstProducts() {
  if (!useHasScope('write'))
    return <EmptyState Icon={IconTag} color="dimmed" title="No products yet" />
  return (
    <EmptyState Icon={IconTag} color="anchor" title="Import your products">
      <Text c="dimmed">
        Then you can attach assets to them. Import a file from your shop, or send products from your
        backend with <Code>PUT /api/v1/products</Code>.
      </Text>
      <Button
        component={Link}
        href="/products/import"
        mt="sm"
        leftSection={<IconFileImport size={18} aria-hidden />}
      >
        Import products
      </Button>
    </EmptyState>
  )
}
