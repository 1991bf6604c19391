import { Anchor, Box, Group, Table, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { RowCheckbox } from '../components/row-checkbox.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { KIND_LABELS, sizeOf } from './asset-kind.ts'
import { AssetThumbnail } from './asset-thumbnail.tsx'
import { productNames } from './product-names.ts'

interface Props {
  asset: Asset
  isSelected: boolean
  /** Undefined if assets cannot be selected. */
  onToggle: ((asset: Asset, isRange: boolean) => void) | undefined
}

/** On a phone, the contents of the other columns are below the name. */
export const AssetRow = memo(function AssetRow({ asset, isSelected, onToggle }: Props) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const names = productNames(asset.products)
  const [first] = names
  return (
    <Table.Tr ref={row} data-selected={isSelected || undefined}>
      {onToggle && (
        <Table.Td w={44}>
          <RowCheckbox
            checked={isSelected}
            aria-label={`Select ${asset.filename}`}
            onChange={({ nativeEvent }) =>
              onToggle(asset, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </Table.Td>
      )}
      <Table.Td maw={0} w="100%">
        <Group gap="sm" wrap="nowrap">
          <AssetThumbnail asset={asset} />
          <Box miw={0}>
            <Anchor
              component={Link}
              href={`/assets/${asset.id}`}
              data-row-link
              title={[asset.filename, ...names].join('\n')}
              c="inherit"
              fz="sm"
              fw={500}
              display="block"
            >
              <Name>{asset.filename}</Name>
            </Anchor>
            {asset.path !== null && (
              <Box fz="xs" c="dimmed">
                <Name>{asset.path}</Name>
              </Box>
            )}
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {sizeOf(asset) ?? KIND_LABELS.link}
              {names.length > 0 && ` · ${countText(names.length, 'product')}`} ·{' '}
              <DateTime value={asset.created_at} isDateOnly />
            </Text>
          </Box>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="end">
        {sizeOf(asset)}
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={220} miw={140}>
        {first !== undefined && (
          <Group gap={6} wrap="nowrap">
            <Name>{first}</Name>
            {names.length > 1 && (
              <Text inherit c="dimmed">
                +{names.length - 1}
              </Text>
            )}
          </Group>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <DateTime value={asset.created_at} />
      </Table.Td>
    </Table.Tr>
  )
})
