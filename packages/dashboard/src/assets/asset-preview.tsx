import { Paper, Skeleton, Text } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { isUnreachable } from '../components/reachable.ts'
import { sizeText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { fill } from '../i18n/texts.ts'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import { type PreviewKind, previewKindOf } from './asset-kind.ts'
import classes from './asset-page.module.css'
import { decodeText, hasScripts, isPdf } from './preview-content.ts'

/** The interval while the file is being compared with its declared digest, and while the service cannot be reached. */
const RETRY_MS = 3_000

export function AssetPreview({ asset }: { asset: Asset }) {
  const client = useClient()
  const kind = previewKindOf(asset)
  const [failure, setFailure] = useState<string>()
  const wasRetried = useRef(false)
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: queryKeys.downloadUrl(asset.id, asset.version),
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
      else if (!isExpired && wasRetried.current) setFailure(kind && texts[FAILURES[kind]])
      else void refetch()
      if (!isExpired) wasRetried.current = true
    },
    [expiresAt, refetch, kind],
  )
  // The fragment makes the browser load the file again: URLs that were signed within the same second are equal.
  const url = `${data?.url}#${dataUpdatedAt}`
  const isVisible = kind !== undefined && !asset.damaged && failure === undefined && error === null
  return (
    <Paper component="section" withBorder className={classes.preview} aria-label={texts.preview}>
      {isVisible && data === undefined && <Skeleton h={320} />}
      {isVisible && data !== undefined && (
        <Preview kind={kind} asset={asset} url={url} onError={onError} />
      )}
      {!isVisible && <NoPreview asset={asset}>{failure ?? reasonOf(asset, kind, error)}</NoPreview>}
    </Paper>
  )
}

function reasonOf({ damaged }: Asset, kind: PreviewKind | undefined, error: unknown): string {
  if (damaged) return texts.noPreviewDamaged
  if (kind === undefined) return texts.noPreviewType
  if (isStowageError(error, 'verifying')) {
    return texts.comparing
  }
  return texts.previewFailed
}

interface PreviewProps {
  kind: PreviewKind
  asset: Asset
  url: string
  onError(error?: unknown): void
}

/** Shown after the second failure to load or display a file. */
const FAILURES = {
  image: 'brokenImage',
  audio: 'unplayable',
  video: 'unplayable',
  pdf: 'previewFailed',
  text: 'previewFailed',
} as const satisfies Record<PreviewKind, string>

function Preview({ kind, asset, url, onError }: PreviewProps) {
  const label = fill(texts.previewOf, { name: asset.filename })
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

interface MediaPreviewProps {
  kind: 'audio' | 'video'
  url: string
  label: string
  onError(): void
}

/** Keeps the playback position when the URL changes after the previous one expired. */
function MediaPreview({ kind: Media, url, label, onError }: MediaPreviewProps) {
  const seconds = useRef(0)
  return (
    <Media
      src={url}
      controls
      preload="metadata"
      aria-label={label}
      onLoadedMetadata={({ currentTarget }) => {
        currentTarget.currentTime = seconds.current
      }}
      onError={({ currentTarget }) => {
        seconds.current = currentTarget.currentTime
        onError()
      }}
    />
  )
}

interface TextPreviewProps {
  url: string
  label: string
  bytes: number
  onError(error: unknown): void
}

const MAX_TEXT_BYTES = 64_000

/** The start of a text file. Markup in it is shown as text. */
function TextPreview({ url, label, bytes, onError }: TextPreviewProps) {
  const [text, setText] = useState<string>()

  useEffect(() => {
    const unmounting = new AbortController()
    readStart(url, MAX_TEXT_BYTES, unmounting.signal)
      .then((start) => {
        const decoded = decodeText(start)
        if (decoded === undefined) {
          throw new Unpreviewable(texts.notText)
        }
        setText(decoded)
      })
      .catch((error: unknown) => {
        if (!unmounting.signal.aborted) onError(error)
      })
    return () => unmounting.abort()
  }, [url, onError])

  if (text === undefined) return <Skeleton h={240} />
  return (
    <div className={classes.text}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre dir="auto">{text}</pre>
      </section>
      {bytes > MAX_TEXT_BYTES && (
        <Text size="xs" c="dimmed" p="xs">
          {fill(texts.textStart, { shown: sizeText(MAX_TEXT_BYTES), size: sizeText(bytes) })}
        </Text>
      )}
    </div>
  )
}

/** Reads at most this many bytes from the start of a file. A server may ignore the range. */
async function readStart(
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${maxBytes - 1}` } })
  if (!response.ok || response.body === null) {
    throw new Error(`the storage responded with HTTP ${response.status}`)
  }
  const start = new Uint8Array(maxBytes)
  let length = 0
  const reader = response.body.getReader()
  while (length < maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk = value.subarray(0, maxBytes - length)
    start.set(chunk, length)
    length += chunk.length
  }
  await reader.cancel()
  return start.subarray(0, length)
}

interface PdfPreviewProps {
  url: string
  label: string
  onError(error: unknown): void
}

/**
 * The storage serves every file as a download, so the page fetches the content and shows it as a blob of
 * type PDF: HTML that claims to be a PDF is not executed. A PDF with scripts is not shown, because they
 * could open dialogs.
 */
function PdfPreview({ url, label, onError }: PdfPreviewProps) {
  const [blobUrl, setBlobUrl] = useState<string>()

  useEffect(() => {
    if (!navigator.pdfViewerEnabled) {
      onError(new Unpreviewable(texts.noPdf))
      return
    }
    const unmounting = new AbortController()
    let created: string | undefined
    readPdf(url, unmounting.signal)
      .then((pdf) => {
        if (unmounting.signal.aborted) return
        created = URL.createObjectURL(pdf)
        setBlobUrl(created)
      })
      .catch((error: unknown) => {
        if (!unmounting.signal.aborted) onError(error)
      })
    return () => {
      unmounting.abort()
      if (created !== undefined) URL.revokeObjectURL(created)
    }
  }, [url, onError])

  if (blobUrl === undefined) return <Skeleton className={classes.frame} />
  return <Frame src={`${blobUrl}#navpanes=0`} title={label} />
}

/**
 * A frame keeps every drag that enters it, so a file dropped on it would never reach the page. A shield covers the frame
 * until the pointer moves over it: a drag from another program emits no pointer events.
 */
function Frame({ src, title }: { src: string; title: string }) {
  const [isUsed, setUsed] = useState(false)
  return (
    <div className={classes.frame} onPointerLeave={() => setUsed(false)}>
      {/* Without `sandbox`: Chromium shows no PDF in a sandboxed frame, and isolates its viewer itself. */}
      <iframe src={src} title={title} />
      {!isUsed && (
        <div className={classes.shield} aria-hidden onPointerMove={() => setUsed(true)} />
      )}
    </div>
  )
}

async function readPdf(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the storage responded with HTTP ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!isPdf(bytes)) {
    throw new Unpreviewable(texts.brokenPdf)
  }
  if (await hasScripts(bytes)) {
    throw new Unpreviewable(texts.scriptedPdf)
  }
  return new Blob([bytes], { type: 'application/pdf' })
}

/** The content of a file cannot be shown, and loading it again does not help. The message gives the reason. */
class Unpreviewable extends Error {}
