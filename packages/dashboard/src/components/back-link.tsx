import { Anchor, Group } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from 'wouter'

/** From one of them to the list of all. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} size="sm" w="fit-content">
      <Group gap={4}>
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  )
}
