import { Anchor, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Problem } from '../shell/problem.tsx'
import { useTitle } from '../shell/use-title.ts'
import { AssetActions } from './asset-actions.tsx'
import { AssetFacts } from './asset-facts.tsx'
import { AssetName } from './asset-name.tsx'
import { AssetPreview } from './asset-preview.tsx'
import { AssetProducts } from './asset-products.tsx'
import { AssetUploading } from './asset-uploading.tsx'
import { LinkAddress } from './link-address.tsx'
import { useAsset } from './use-asset.ts'

export function AssetPage({ id }: { id: string }) {
  const { data: asset, error, refetch } = useAsset(id)
  useTitle(asset?.filename ?? 'Asset')
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/" size="sm" w="fit-content">
        <Group gap={4}>
          <IconArrowLeft size={16} aria-hidden /> All assets
        </Group>
      </Anchor>
      {asset !== undefined && error === null && <Whole asset={asset} />}
      {asset === undefined && error === null && <Coming />}
      {error !== null && isGone(error) && <Gone />}
      {error !== null && !isGone(error) && (
        <Problem title="The asset can’t be read" error={error} onRetry={() => void refetch()} />
      )}
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

function Coming() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton h={36} w="50%" />
      <Skeleton h={240} />
    </Stack>
  )
}

/** An id that is no id at all can't be there either. */
function isGone(error: unknown): boolean {
  return isStowageError(error, 'not_found') || isStowageError(error, 'invalid')
}

function Gone() {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        This asset is not here
      </Title>
      <Text c="dimmed">
        It was deleted, its upload was given up or ran out, or the address is mistyped.
      </Text>
    </Stack>
  )
}
