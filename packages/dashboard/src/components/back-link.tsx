import { Anchor, Group } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from 'wouter'

/** Leads from a single item back to its list. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} size="sm" w="fit-content">
      <Group gap={4}>
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  )
}
