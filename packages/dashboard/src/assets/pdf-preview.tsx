import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'
import classes from './asset-page.module.css'
import { hasScripts } from './pdf-scripts.ts'

interface Props {
  url: string
  label: string
  onBroken(): void
}

/**
 * The storage says of every file that it is to be saved. So the page reads it, and shows what it read
 * as a PDF and nothing else: a page of HTML that calls itself one does nothing. A PDF with scripts is not
 * shown, as they could raise dialogs.
 */
export function PdfPreview({ url, label, onBroken }: Props) {
  const [shown, setShown] = useState<string>()

  useEffect(() => {
    if (!navigator.pdfViewerEnabled) {
      onBroken()
      return
    }
    const leaving = new AbortController()
    let made: string | undefined
    readPdf(url, leaving.signal)
      .then((pdf) => {
        if (leaving.signal.aborted) return
        made = URL.createObjectURL(pdf)
        setShown(made)
      })
      .catch(() => {
        if (!leaving.signal.aborted) onBroken()
      })
    return () => {
      leaving.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [url, onBroken])

  if (shown === undefined) return <Skeleton className={classes.frame} />
  // Not sandboxed: Chromium shows no PDF in a sandbox. Its viewer is one by itself.
  return <iframe className={classes.frame} src={`${shown}#navpanes=0`} title={label} />
}

async function readPdf(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the storage answered ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (await hasScripts(bytes)) throw new Error('the PDF has scripts')
  return new Blob([bytes], { type: 'application/pdf' })
}
