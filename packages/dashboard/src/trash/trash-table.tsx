import { ActionIcon, Box, Button, Group, Table, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { AssetIcon, DamagedMark } from '../assets/asset-icon.tsx'
import { sizeOf } from '../assets/asset-kind.ts'
import { type Selection, SelectPage } from '../assets/selection.tsx'
import { useRestoreAssets } from '../assets/use-asset-changes.ts'
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, RowCheckbox } from '../components/lists.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { nameWithFolder } from '../format.ts'
import { assets as assetTexts } from '../i18n/en/assets.ts'
import { trash } from '../i18n/en/trash.ts'
import { fill, rich } from '../i18n/texts.ts'
import { IconTrashX } from '../icons/icons.tsx'
import { RequireScope } from '../session/account.tsx'

interface Props {
  /** Undefined while the first page is loading. */
  assets: readonly Asset[] | undefined
  isStale: boolean
  /** Undefined if assets cannot be selected. */
  selection: Selection | undefined
  onDelete(asset: Asset): void
}

export function TrashTable({ assets, isStale, selection, onDelete }: Props) {
  return (
    <ListTable
      items={assets}
      isStale={isStale}
      head={
        <>
          {selection && <SelectPage assets={assets} selection={selection} />}
          <Table.Th>{trash.name}</Table.Th>
          <Table.Th visibleFrom="sm" ta="end">
            {trash.size}
          </Table.Th>
          <Table.Th visibleFrom="md">{trash.deleted}</Table.Th>
          <Table.Th visibleFrom="sm">{trash.removedAfter}</Table.Th>
          <RequireScope scope="write">
            <Table.Th visibleFrom="sm" ta="end">
              {trash.actions}
            </Table.Th>
          </RequireScope>
        </>
      }
      row={(asset) => (
        <TrashRow key={asset.id} asset={asset} selection={selection} onDelete={onDelete} />
      )}
    />
  )
}

type RowProps = { asset: Asset } & Pick<Props, 'selection' | 'onDelete'>

function TrashRow({ asset, selection, onDelete }: RowProps) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const { mutate, isPending } = useRestoreAssets()
  const { filename, path, damaged, deleted_at = '', removed_after = '' } = asset
  const size = sizeOf(asset) ?? assetTexts.kinds.link
  const label = nameWithFolder(asset)
  const isSelected = selection?.has(asset.id) ?? false
  const actions = (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="light"
        aria-label={fill(trash.restoreNamed, { name: label })}
        aria-disabled={isPending || undefined}
        onClick={() => {
          if (isPending) return
          if (isSelected) selection?.toggle(asset, false)
          mutate([asset])
        }}
      >
        {trash.restore}
      </Button>
      <Tooltip label={trash.deleteForever}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={fill(trash.deleteNamed, { name: label })}
          onClick={() => onDelete(asset)}
        >
          <IconTrashX size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
  return (
    <Table.Tr ref={row} data-selected={isSelected || undefined}>
      {selection && (
        <Table.Td w={44}>
          <RowCheckbox
            checked={isSelected}
            aria-label={fill(trash.selectNamed, { name: label })}
            onChange={({ nativeEvent }) =>
              selection.toggle(asset, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </Table.Td>
      )}
      <Table.Td maw={0} w="100%">
        <Group gap="sm" wrap="nowrap">
          <AssetIcon asset={asset} />
          <Box miw={0}>
            <Box fz="sm" fw={500}>
              <Name isWrapped>{filename}</Name>
            </Box>
            {damaged && <DamagedMark />}
            {path !== null && (
              <Box fz="xs" c="dimmed">
                <Name>{path}</Name>
              </Box>
            )}
            <Box hiddenFrom="sm" fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
              {rich(trash.until, { size, date: <DateTime value={removed_after} isDateOnly /> })}
            </Box>
          </Box>
        </Group>
        <RequireScope scope="write">
          <Box hiddenFrom="sm" mt={4}>
            {actions}
          </Box>
        </RequireScope>
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="end">
        {size}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <DateTime value={deleted_at} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <DateTime value={removed_after} isDateOnly />
      </Table.Td>
      <RequireScope scope="write">
        <Table.Td visibleFrom="sm">{actions}</Table.Td>
      </RequireScope>
    </Table.Tr>
  )
}
