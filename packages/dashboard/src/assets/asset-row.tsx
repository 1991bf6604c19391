import { Anchor, Box, Checkbox, Group, Table, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { Moment } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { countText } from '../format/count-text.ts'
import { AssetIcon } from './asset-icon.tsx'
import { KIND_WORDS, sizeOf } from './asset-kind.ts'
import { productNames } from './product-names.ts'

interface Props {
  asset: Asset
  isChosen: boolean
  /** Undefined: it can't be picked. */
  onToggle: ((asset: Asset, isRange: boolean) => void) | undefined
}

/** On a phone what the columns say goes below the name. */
export const AssetRow = memo(function AssetRow({ asset, isChosen, onToggle }: Props) {
  const names = productNames(asset.products)
  const [first] = names
  return (
    <Table.Tr data-chosen={isChosen || undefined}>
      {onToggle && (
        <Table.Td w={44}>
          <Checkbox
            checked={isChosen}
            aria-label={`Select ${asset.filename}`}
            onChange={({ nativeEvent }) =>
              onToggle(asset, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </Table.Td>
      )}
      <Table.Td maw={0} w="100%">
        <Group gap="sm" wrap="nowrap">
          <AssetIcon asset={asset} />
          <Box miw={0}>
            <Anchor
              component={Link}
              href={`/assets/${asset.id}`}
              c="inherit"
              fz="sm"
              fw={500}
              display="block"
            >
              <Name>{asset.filename}</Name>
            </Anchor>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {sizeOf(asset) ?? KIND_WORDS.link}
              {names.length > 0 && ` · ${countText(names.length, 'product')}`} ·{' '}
              <Moment at={asset.created_at} isDay />
            </Text>
          </Box>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="end">
        {sizeOf(asset)}
      </Table.Td>
      <Table.Td visibleFrom="sm" maw={220} miw={140}>
        {first !== undefined && (
          <Group gap={6} wrap="nowrap" title={names.join('\n')}>
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
        <Moment at={asset.created_at} />
      </Table.Td>
    </Table.Tr>
  )
})
