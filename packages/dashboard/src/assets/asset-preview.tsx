import { Paper, Skeleton, Text } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { isUnreachable } from '../components/is-unreachable.ts'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'
import { MediaPreview } from './preview/media-preview.tsx'
import { PdfPreview } from './preview/pdf-preview.tsx'
import { type PreviewKind, previewKindOf } from './preview/preview-kind.ts'
import { TextPreview } from './preview/text-preview.tsx'
import { Unpreviewable } from './preview/unpreviewable.ts'

/** The interval while the file is being compared with its declared digest, and while the service cannot be reached. */
const RETRY_MS = 3_000

export function AssetPreview({ asset }: { asset: Asset }) {
  const client = useClient()
  const kind = previewKindOf(asset)
  const [failure, setFailure] = useState<string>()
  const wasRetried = useRef(false)
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['download-url', asset.id, asset.version],
    // Tried once, so that the reason is shown immediately. The interval below retries.
    queryFn: ({ signal }) => client.address(asset.id, { signal, retry: { tries: 1 } }),
    enabled: kind !== undefined && !asset.damaged,
    refetchInterval: ({ state }) =>
      (isStowageError(state.error, 'verifying') || isUnreachable(state.error)) && RETRY_MS,
    // Another URL would restart a video, so a new one is requested only after an error.
    staleTime: 'static',
    gcTime: 0,
  })
  const expiresAt = data?.expires_at
  // The first failure may be due to the connection. After the second, the browser cannot display the file.
  const onError = useCallback(
    (error?: unknown) => {
      const isExpired = expiresAt ? Date.parse(expiresAt) < Date.now() : false
      if (error instanceof Unpreviewable) setFailure(error.message)
      else if (!isExpired && wasRetried.current) setFailure(kind && FAILURES[kind])
      else void refetch()
      if (!isExpired) wasRetried.current = true
    },
    [expiresAt, refetch, kind],
  )
  // The fragment makes the browser load the file again: URLs that were signed within the same second are equal.
  const url = `${data?.url}#${dataUpdatedAt}`
  const isVisible = kind !== undefined && !asset.damaged && failure === undefined && error === null
  return (
    <Paper component="section" withBorder className={classes.preview} aria-label="Preview">
      {isVisible && data === undefined && <Skeleton h={320} />}
      {isVisible && data !== undefined && (
        <Preview kind={kind} asset={asset} url={url} onError={onError} />
      )}
      {!isVisible && <NoPreview asset={asset}>{failure ?? reasonOf(asset, kind, error)}</NoPreview>}
    </Paper>
  )
}

function reasonOf({ damaged }: Asset, kind: PreviewKind | undefined, error: unknown): string {
  if (damaged) return 'No preview is available, because the file is damaged.'
  if (kind === undefined) return 'No preview is available for this type of file.'
  if (isStowageError(error, 'verifying')) {
    return 'The service is comparing the file with its declared SHA-256. The preview appears afterward.'
  }
  return 'The preview could not be loaded.'
}

interface PreviewProps {
  kind: PreviewKind
  asset: Asset
  url: string
  onError(error?: unknown): void
}

/** Shown after the second failure to load or display a file. */
const FAILURES: Record<PreviewKind, string> = {
  image: 'This image cannot be displayed: it is damaged, or it is not an image.',
  audio: 'Your browser cannot play this file: it is damaged, or its format is not supported.',
  video: 'Your browser cannot play this file: it is damaged, or its format is not supported.',
  pdf: 'The preview could not be loaded.',
  text: 'The preview could not be loaded.',
}

function Preview({ kind, asset, url, onError }: PreviewProps) {
  const label = `Preview of ${asset.filename}`
  if (kind === 'image') {
    return (
      <img
        className={classes.checkerboard}
        src={url}
        alt={asset.filename}
        onError={() => onError()}
      />
    )
  }
  if (kind === 'text') {
    return <TextPreview url={url} label={label} bytes={asset.bytes} onError={onError} />
  }
  if (kind === 'pdf') return <PdfPreview url={url} label={label} onError={onError} />
  return <MediaPreview kind={kind} url={url} label={label} onError={onError} />
}

function NoPreview({ asset, children }: { asset: Asset; children: string }) {
  return (
    <div style={{ textAlign: 'center' }}>
      <AssetIcon asset={asset} size={64} />
      <Text size="sm" c="dimmed" px="md">
        {children}
      </Text>
    </div>
  )
}
