import { ActionIcon, Code, Group, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { IconCopy } from '@tabler/icons-react'
import { copyText } from '../components/copy-text.ts'
import { Moment } from '../components/date-time.tsx'
import { Fact, Facts } from '../components/detail-list.tsx'
import { Section } from '../components/section.tsx'
import { countText } from '../format/count-text.ts'
import { KIND_WORDS, kindOf, sizeOf } from './asset-kind.ts'

export function AssetFacts({ asset }: { asset: Asset }) {
  return (
    <Section title="Facts">
      <Facts>
        <Fact name="Kind">
          {asset.is_link ? 'Link' : `${KIND_WORDS[kindOf(asset)]} (${asset.mime})`}
        </Fact>
        {sizeOf(asset) && (
          <Fact name="Size">{`${asset.size} (${countText(asset.bytes, 'byte')})`}</Fact>
        )}
        <Fact name="Added">
          <Moment at={asset.created_at} />
        </Fact>
        <Fact name="Status">{asset.status === 'ready' ? 'Ready' : 'Uploading'}</Fact>
        <Fact name="Id">
          <Id id={asset.id} />
        </Fact>
      </Facts>
    </Section>
  )
}

function Id({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Code>{id}</Code>
      <Tooltip label="Copy the id">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Copy the id"
          onClick={() => void copyText(id, 'Id')}
        >
          <IconCopy size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
