import { Anchor, Code, Stack, Table, Text } from '@mantine/core'
import type { AssetDownload, LoggedDownload, PageMeta } from '@stowage/client'
import { Link } from 'wouter'
import { PageLinks } from '../components/lists.tsx'
import { FactTable } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { orderName } from './order-texts.tsx'

interface DownloadLogProps {
  downloads: readonly (LoggedDownload | AssetDownload)[]
  meta: PageMeta
  page: number
  hrefOf(page: number): string
}

/** How many characters of a hash tell the addresses of one page apart. */
const SHOWN_HASH = 8

/** The downloads of an order, with their files, or of an asset, with their orders. */
export function DownloadLog({ downloads, meta, page, hrefOf }: DownloadLogProps) {
  if (meta.total === 0) return <Text c="dimmed">{texts.noDownloads}</Text>
  const isOfAsset = downloads.some((it) => 'order' in it)
  return (
    <Stack gap="sm">
      <FactTable
        head={
          <>
            <Table.Th>{texts.when}</Table.Th>
            <Table.Th>{isOfAsset ? texts.order : texts.file}</Table.Th>
            <Table.Th ta="end">{texts.version}</Table.Th>
            <Table.Th ta="end">{texts.starts}</Table.Th>
            <Table.Th ta="end">{texts.counted}</Table.Th>
            <Table.Th>{texts.device}</Table.Th>
          </>
        }
      >
        {downloads.map((download) => (
          <Table.Tr key={download.id}>
            <Table.Td>
              <DateTime value={download.opened_at} />
            </Table.Td>
            <Table.Td miw={140} maw={240}>
              <Subject download={download} />
            </Table.Td>
            <Table.Td ta="end">{numberText(download.version)}</Table.Td>
            <Table.Td ta="end">{numberText(download.starts)}</Table.Td>
            <Table.Td ta="end">{numberText(download.counted)}</Table.Td>
            <Table.Td>
              {download.ip_hash === null ? (
                texts.backend
              ) : (
                <Code>{download.ip_hash.slice(0, SHOWN_HASH)}</Code>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </FactTable>
      <Text size="xs" c="dimmed">
        {texts.deviceHint}
      </Text>
      <PageLinks label={texts.logPages} current={page} meta={meta} hrefOf={hrefOf} />
    </Stack>
  )
}

function Subject({ download }: { download: LoggedDownload | AssetDownload }) {
  const isOfAsset = 'order' in download
  const href = isOfAsset ? `/orders/${download.order.id}` : `/assets/${download.asset_id}`
  return (
    <Anchor component={Link} href={href} c="inherit" inherit>
      <Name>{isOfAsset ? orderName(download.order) : download.filename}</Name>
    </Anchor>
  )
}
