import { Group, Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props {
  title: string
  /** What can be done with all of it. */
  action?: ReactNode
  children: ReactNode
}

export function Section({ title, action, children }: Props) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Group justify="space-between" mb="md" mih={36}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Paper>
  )
}
