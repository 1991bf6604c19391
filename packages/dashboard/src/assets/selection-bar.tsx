import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTag, IconTagOff, IconTrash } from '../icons/icons.ts'
import type { AssetQuery } from './asset-query.ts'
import { AttachAssets } from './attach-assets.tsx'
import { DeleteAssets } from './delete-assets.tsx'
import { DetachAssets } from './detach-assets.tsx'
import { SelectAll } from './select-all.tsx'
import { SelectionPaper } from './selection-paper.tsx'
import type { Selection } from './use-selection.ts'

interface Props {
  selection: Selection
  query: AssetQuery
  /** The number of assets that match the query. */
  total: number
}

/** Actions for the selected assets. */
export function SelectionBar({ selection, query, total }: Props) {
  const [isDeleting, deleting] = useDisclosure()
  const [isAttaching, attaching] = useDisclosure()
  const [isDetaching, detaching] = useDisclosure()
  const { selected, clear } = selection
  const assets = [...selected.values()]
  return (
    <>
      <SelectionPaper selection={selection}>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconTag size={16} aria-hidden />}
          onClick={attaching.open}
        >
          Attach to products
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconTagOff size={16} aria-hidden />}
          onClick={detaching.open}
        >
          Detach
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={deleting.open}
        >
          Delete
        </Button>
        <SelectAll selection={selection} query={query} total={total} />
      </SelectionPaper>
      <DeleteAssets assets={assets} isOpen={isDeleting} onClose={deleting.close} onDone={clear} />
      <AttachAssets assets={assets} isOpen={isAttaching} onClose={attaching.close} onDone={clear} />
      <DetachAssets assets={assets} isOpen={isDetaching} onClose={detaching.close} onDone={clear} />
    </>
  )
}
