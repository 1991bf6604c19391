import { Stack } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useSearch } from 'wouter'
import { LoadedSection } from '../components/sections.tsx'
import { readPage } from '../components/url-query.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { DownloadChart } from './download-chart.tsx'
import { DownloadLog } from './download-log.tsx'
import { useAssetDownloads, useDownloadTotals } from './use-orders.ts'

const DAYS = 31

/** Who downloads an asset, and how often. */
export function AssetDownloads({ asset: { id } }: { asset: Asset }) {
  const page = readPage(new URLSearchParams(useSearch()))
  const totals = useDownloadTotals({ days: DAYS, asset: id })
  return (
    <LoadedSection query={useAssetDownloads(id, page)} title={texts.ofBuyers}>
      {({ data, meta }) => (
        <Stack gap="md">
          {meta.total > 0 && totals.data !== undefined && <DownloadChart totals={totals.data} />}
          <DownloadLog
            downloads={data}
            meta={meta}
            page={page}
            hrefOf={(number) => `/assets/${id}?page=${number}`}
          />
        </Stack>
      )}
    </LoadedSection>
  )
}
