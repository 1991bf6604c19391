import { Stack } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { LoadedRecord } from '../components/loaded-record.tsx'
import { TwoColumns } from '../components/two-columns.tsx'
import { useTitle } from '../components/use-title.ts'
import { useHasTrash } from '../session/use-has-trash.ts'
import { AssetActions } from './asset-actions.tsx'
import { AssetDetails } from './asset-details.tsx'
import { AssetName } from './asset-name.tsx'
import { AssetNavigation } from './asset-navigation.tsx'
import { AssetPreview } from './asset-preview.tsx'
import { AssetProducts } from './asset-products.tsx'
import { AssetUploading } from './asset-uploading.tsx'
import { AssetVersions } from './asset-versions.tsx'
import { DamagedAlert } from './damaged-alert.tsx'
import { LinkUrl } from './link-url.tsx'
import { useAsset } from './use-asset.ts'

export function AssetPage({ id }: { id: string }) {
  const asset = useAsset(id)
  const hasTrash = useHasTrash()
  useTitle(asset.data?.filename ?? 'Asset')
  return (
    <Stack gap="md">
      <AssetNavigation id={id} />
      <LoadedRecord
        query={asset}
        kind="asset"
        notFoundText={`It may ${hasTrash ? 'be in the trash' : 'have been deleted'}, its upload may have been cancelled or may have expired, or the URL may be wrong.`}
      >
        {(data) => <AssetContent asset={data} />}
      </LoadedRecord>
    </Stack>
  )
}

function AssetContent({ asset }: { asset: Asset }) {
  if (asset.status === 'uploading') return <AssetUploading asset={asset} />
  return (
    <>
      <AssetName key={asset.id} asset={asset} />
      {asset.damaged && <DamagedAlert />}
      <AssetActions asset={asset} />
      <TwoColumns>
        <div>
          {asset.is_link ? (
            <LinkUrl asset={asset} />
          ) : (
            <AssetPreview key={asset.version} asset={asset} />
          )}
        </div>
        <Stack gap="lg">
          <AssetProducts asset={asset} />
          <AssetDetails asset={asset} />
          {asset.is_file && <AssetVersions asset={asset} />}
        </Stack>
      </TwoColumns>
    </>
  )
}
