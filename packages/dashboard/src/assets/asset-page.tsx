import { Grid, Stack } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { BackLink } from '../components/back-link.tsx'
import { Record } from '../components/loaded-record.tsx'
import { useTitle } from '../components/use-title.ts'
import { AssetActions } from './asset-actions.tsx'
import { AssetFacts } from './asset-details.tsx'
import { AssetName } from './asset-name.tsx'
import { AssetPreview } from './asset-preview.tsx'
import { AssetProducts } from './asset-products.tsx'
import { AssetUploading } from './asset-uploading.tsx'
import { LinkAddress } from './link-url.tsx'
import { useAsset } from './use-asset.ts'

export function AssetPage({ id }: { id: string }) {
  const asset = useAsset(id)
  useTitle(asset.data?.filename ?? 'Asset')
  return (
    <Stack gap="md">
      <BackLink href="/">All assets</BackLink>
      <Record
        of={asset}
        what="asset"
        whyGone="It was deleted, its upload was given up or ran out, or the address is mistyped."
      >
        {(data) => <Whole asset={data} />}
      </Record>
    </Stack>
  )
}

function Whole({ asset }: { asset: Asset }) {
  if (asset.status === 'uploading') return <AssetUploading asset={asset} />
  return (
    <>
      <AssetName key={asset.id} asset={asset} />
      <AssetActions asset={asset} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          {asset.is_link ? <LinkAddress asset={asset} /> : <AssetPreview asset={asset} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <AssetFacts asset={asset} />
            <AssetProducts asset={asset} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
