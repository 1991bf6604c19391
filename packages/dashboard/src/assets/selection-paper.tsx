import { Button, Group, Paper, Text } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { useHeightProperty } from '../components/use-height-property.ts'
import { countText } from '../format/count-text.ts'
import classes from './selection-paper.module.css'
import type { Selection } from './use-selection.ts'

interface Props {
  selection: Selection
  /** The buttons. */
  children: ReactNode
}

/** A bar at the bottom of a list, with actions for the selected assets. */
export function SelectionPaper({ selection: { selected, clear }, children }: Props) {
  const bar = useMergedRef(
    useFocusHandover<HTMLDivElement>(),
    useHeightProperty('--selection-height'),
  )
  return (
    <Paper
      ref={bar}
      component="section"
      aria-label="Selection"
      className={classes.bar}
      withBorder
      shadow="md"
      p="xs"
    >
      <Group gap="xs">
        <Text size="sm" fw={500} px="xs" w={{ base: '100%', sm: 'auto' }} role="status">
          {countText(selected.size, 'asset')} selected
        </Text>
        {children}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}
