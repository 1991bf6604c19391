import { Button, Center, Stack, Title } from '@mantine/core'
import { type Icon, IconSearchOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  Picture: Icon
  color: string
  title: string
  /** What to do about it. */
  children?: ReactNode
}

/** In the place of a list that has nothing in it. */
export function Blank({ Picture, color, title, children }: Props) {
  return (
    <Center mih={320}>
      <Stack align="center" gap="sm" ta="center" maw={440}>
        <Picture size={56} stroke={1.2} color={`var(--mantine-color-${color})`} aria-hidden />
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Center>
  )
}

export function NoMatch({ title, onClear }: { title: string; onClear(): void }) {
  return (
    <Blank Picture={IconSearchOff} color="dimmed" title={title}>
      <Button variant="default" onClick={onClear}>
        Clear the search and filters
      </Button>
    </Blank>
  )
}
