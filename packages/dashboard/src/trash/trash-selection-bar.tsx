import { Button } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { SelectionPaper } from '../assets/selection-paper.tsx'
import { useRestoreAssets } from '../assets/use-restore-assets.ts'
import type { Selection } from '../assets/use-selection.ts'
import { IconRestore, IconTrashX } from '../icons/icons.ts'

interface Props {
  selection: Selection
  onDelete(assets: readonly Asset[]): void
}

/** Actions for the selected assets in the trash. */
export function TrashSelectionBar({ selection, onDelete }: Props) {
  const { mutate, isPending } = useRestoreAssets()
  const { selected, clear } = selection
  const assets = [...selected.values()]
  return (
    <SelectionPaper selection={selection}>
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
    </SelectionPaper>
  )
}
