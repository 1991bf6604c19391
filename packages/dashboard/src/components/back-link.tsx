import { Anchor, Group } from '@mantine/core'
import { IconArrowLeft } from '../icons/icons.ts'
import type { ListPath } from './list-position.ts'
import { ReturnLink } from './return-link.tsx'

/** Leads from a single item back to its list, with the search, order, page and scroll position it had. */
export function BackLink({ list, children }: { list: ListPath; children: string }) {
  return (
    <Anchor component={ReturnLink} list={list} size="sm" w="fit-content">
      <Group gap={4}>
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  )
}
