import { Paper, Skeleton, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'
import { MediaPreview } from './media-preview.tsx'
import { PdfPreview } from './pdf-preview.tsx'
import { type PreviewKind, previewKindOf } from './preview-kind.ts'

export function AssetPreview({ asset }: { asset: Asset }) {
  const client = useClient()
  const kind = previewKindOf(asset)
  const [isBroken, setBroken] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['address', asset.id],
    queryFn: ({ signal }) => client.address(asset.id, { signal }),
    enabled: kind !== undefined,
    // Each is another one, and would begin a film anew: so only when this one is worn out.
    staleTime: 'static',
    gcTime: 0,
  })
  const expiresAt = data?.expires_at
  const onBroken = useCallback(() => {
    if (expiresAt && Date.parse(expiresAt) < Date.now()) void refetch()
    else setBroken(true)
  }, [expiresAt, refetch])
  const isShown = kind !== undefined && !isBroken && error === null
  return (
    <Paper component="section" withBorder className={classes.preview} aria-label="Preview">
      {isShown && data === undefined && <Skeleton h={320} />}
      {isShown && data !== undefined && (
        <Shown kind={kind} asset={asset} url={data.url} onBroken={onBroken} />
      )}
      {!isShown && <NotShown asset={asset} isBroken={kind !== undefined} />}
    </Paper>
  )
}

interface ShownProps {
  kind: PreviewKind
  asset: Asset
  url: string
  onBroken(): void
}

function Shown({ kind, asset, url, onBroken }: ShownProps) {
  const label = `Preview of ${asset.filename}`
  if (kind === 'image') {
    return <img className={classes.checks} src={url} alt={asset.filename} onError={onBroken} />
  }
  if (kind === 'pdf') return <PdfPreview url={url} label={label} onBroken={onBroken} />
  return <MediaPreview kind={kind} url={url} label={label} onBroken={onBroken} />
}

function NotShown({ asset, isBroken }: { asset: Asset; isBroken: boolean }) {
  return (
    <div style={{ textAlign: 'center' }}>
      <AssetIcon asset={asset} size={64} />
      <Text size="sm" c="dimmed">
        {isBroken ? 'The browser can’t show this file.' : 'There is no preview of such a file.'}
      </Text>
    </div>
  )
}
