import { Button, Group, Paper, Text } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { IconRestore, IconTrashX } from '@tabler/icons-react'
import classes from '../assets/selection-bar.module.css'
import { useRestoreAssets } from '../assets/use-restore-assets.ts'
import type { Selection } from '../assets/use-selection.ts'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { useHeightProperty } from '../components/use-height-property.ts'
import { countText } from '../format/count-text.ts'

interface Props {
  selection: Selection
  onDelete(assets: readonly Asset[]): void
}

/** Actions for the selected assets of the trash. */
export function TrashSelectionBar({ selection, onDelete }: Props) {
  const bar = useMergedRef(
    useFocusHandover<HTMLDivElement>(),
    useHeightProperty('--selection-height'),
  )
  const { mutate, isPending } = useRestoreAssets()
  const { selected, clear } = selection
  const assets = [...selected.values()]
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
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconRestore size={16} aria-hidden />}
          aria-disabled={isPending || undefined}
          onClick={() => isPending || mutate(assets, { onSettled: clear })}
        >
          Restore
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          leftSection={<IconTrashX size={16} aria-hidden />}
          onClick={() => onDelete(assets)}
        >
          Delete forever
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}
