import { Group, Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props {
  title: string
  /** A button beside the title. */
  action?: ReactNode
  children: ReactNode
}

/** A framed part of a page, with its own heading. */
export function Section({ title, action, children }: Props) {
  const id = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} aria-labelledby={id}>
      <Group justify="space-between" mb="sm" mih={action === undefined ? undefined : 36}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Paper>
  )
}
