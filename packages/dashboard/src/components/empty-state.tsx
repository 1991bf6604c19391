import { Center, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Icon } from '../icons/create-icon.tsx'

interface Props {
  Icon: Icon
  color: string
  title: string
  /** What the reader can do next. */
  children?: ReactNode
}

/** Replaces a list that has no items. */
export function EmptyState({ Icon, color, title, children }: Props) {
  return (
    <Center mih={320}>
      <Stack align="center" gap="sm" ta="center" maw={440}>
        <Icon size={56} stroke={1.2} color={`var(--mantine-color-${color})`} aria-hidden />
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Center>
  )
}
