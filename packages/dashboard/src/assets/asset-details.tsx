import { Anchor, Code, Group } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { Link } from 'wouter'
import { CopyButton } from '../components/copy-button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { Detail, DetailList } from '../components/detail-list.tsx'
import { Section } from '../components/section.tsx'
import { countText } from '../format/count-text.ts'
import { KIND_LABELS, kindOf, sizeOf } from './asset-kind.ts'
import { assetsUrl, readAssetQuery } from './asset-query.ts'
import { IntegrityDetails } from './integrity-details.tsx'

export function AssetDetails({ asset }: { asset: Asset }) {
  return (
    <Section title="Details">
      <DetailList>
        <Detail name="Kind">
          {asset.is_link ? KIND_LABELS.link : `${KIND_LABELS[kindOf(asset)]} (${asset.mime})`}
        </Detail>
        {sizeOf(asset) && (
          <Detail name="Size">{`${asset.size} (${countText(asset.bytes, 'byte')})`}</Detail>
        )}
        {asset.path !== null && (
          <Detail name="Folder">
            <Anchor
              component={Link}
              href={assetsUrl({ ...readAssetQuery(''), path: asset.path })}
              inherit
            >
              <bdi dir="auto">{asset.path}</bdi>
            </Anchor>
          </Detail>
        )}
        <Detail name="Added">
          <DateTime value={asset.created_at} />
        </Detail>
        <Detail name="Status">{asset.status === 'ready' ? 'Ready' : 'Uploading'}</Detail>
        {asset.is_file && <IntegrityDetails asset={asset} />}
        <Detail name="ID">
          <Group gap={4} wrap="nowrap" align="center">
            <Code>{asset.id}</Code>
            <CopyButton text={asset.id} what="ID" />
          </Group>
        </Detail>
      </DetailList>
    </Section>
  )
}
