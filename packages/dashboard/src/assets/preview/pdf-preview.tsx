import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'
import classes from '../asset-page.module.css'
import { isPdf } from './is-pdf.ts'
import { hasScripts } from './pdf-scripts.ts'
import { Unpreviewable } from './unpreviewable.ts'

interface Props {
  url: string
  label: string
  onError(error: unknown): void
}

/**
 * The storage serves every file as a download, so the page fetches the content and shows it as a blob of
 * type PDF: HTML that claims to be a PDF is not executed. A PDF with scripts is not shown, because they
 * could open dialogs.
 */
export function PdfPreview({ url, label, onError }: Props) {
  const [blobUrl, setBlobUrl] = useState<string>()

  useEffect(() => {
    if (!navigator.pdfViewerEnabled) {
      onError(new Unpreviewable('Your browser cannot display PDF files.'))
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
  // Without `sandbox`: Chromium shows no PDF in a sandboxed frame, and isolates its viewer itself.
  return <iframe className={classes.frame} src={`${blobUrl}#navpanes=0`} title={label} />
}

async function readPdf(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the storage responded with HTTP ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!isPdf(bytes)) {
    throw new Unpreviewable('This PDF cannot be displayed: it is damaged, or it is not a PDF.')
  }
  if (await hasScripts(bytes)) {
    throw new Unpreviewable(
      'This PDF has no preview, because it is encrypted or contains scripts. Download it to open it.',
    )
  }
  return new Blob([bytes], { type: 'application/pdf' })
}
