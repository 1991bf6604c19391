import { Table, Text } from '@mantine/core'
import type { Usage } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { numberText } from '../format/count-text.ts'
import type { Icon } from '../icons/create-icon.tsx'
import {
  IconFile,
  IconFileText,
  IconFileZip,
  IconLink,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '../icons/icons.ts'
import { shareText } from './share-text.ts'
import classes from './storage.module.css'

type TypeUsage = Usage['types'][number]

const TYPES: Record<TypeUsage['type'], { label: string; Icon: Icon; color: string }> = {
  video: { label: 'Video', Icon: IconMovie, color: 'grape' },
  audio: { label: 'Audio', Icon: IconMusic, color: 'orange' },
  image: { label: 'Images', Icon: IconPhoto, color: 'teal' },
  document: { label: 'Documents', Icon: IconFileText, color: 'blue' },
  archive: { label: 'Archives', Icon: IconFileZip, color: 'cyan' },
  other: { label: 'Other files', Icon: IconFile, color: 'gray' },
  link: { label: 'URLs', Icon: IconLink, color: 'gray' },
}

/** A table with bars, each as long as its share. Screen readers get the numbers. */
export function UsageByType({ types }: { types: readonly TypeUsage[] }) {
  const stored = types.reduce((sum, { bytes }) => sum + bytes, 0)
  if (types.length === 0) {
    return <Text c="dimmed">No assets yet.</Text>
  }
  return (
    <Table
      className={classes.chart}
      withRowBorders={false}
      verticalSpacing={6}
      horizontalSpacing={0}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Type</Table.Th>
          <Table.Th ta="end">Assets</Table.Th>
          <Table.Th ta="end">Size</Table.Th>
          <Table.Th ta="end">Share</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {types.map(({ type, bytes, assets }) => {
          const { label, Icon, color } = TYPES[type]
          return (
            <Table.Tr key={type}>
              <Table.Th scope="row" className={classes.label}>
                <Icon size={18} stroke={1.5} aria-hidden />
                {label}
                <Bar share={bytes / Math.max(1, stored)} color={color} />
              </Table.Th>
              <Table.Td ta="end">{numberText(assets)}</Table.Td>
              <Table.Td ta="end">{formatSize(bytes)}</Table.Td>
              <Table.Td ta="end">{shareText(bytes, stored)}</Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

function Bar({ share, color }: { share: number; color: string }) {
  const background =
    color === 'gray' ? 'var(--mantine-color-gray-6)' : `var(--mantine-color-${color}-filled)`
  return (
    <span className={classes.track} aria-hidden>
      <span className={classes.bar} style={{ width: `${share * 100}%`, background }} />
    </span>
  )
}
