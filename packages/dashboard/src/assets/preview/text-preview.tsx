import { Skeleton, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { useEffect, useState } from 'react'
import classes from '../asset-page.module.css'
import { decodeText } from './decode-text.ts'
import { readStart } from './read-start.ts'
import { Unpreviewable } from './unpreviewable.ts'

interface Props {
  url: string
  label: string
  bytes: number
  onError(error: unknown): void
}

const MAX_BYTES = 64_000

/** The start of a text file. Markup in it is shown as text. */
export function TextPreview({ url, label, bytes, onError }: Props) {
  const [text, setText] = useState<string>()

  useEffect(() => {
    const unmounting = new AbortController()
    readStart(url, MAX_BYTES, unmounting.signal)
      .then((start) => {
        const decoded = decodeText(start)
        if (decoded === undefined) {
          throw new Unpreviewable('This file has a text type, but its content is not text.')
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
      {bytes > MAX_BYTES && (
        <Text size="xs" c="dimmed" p="xs">
          The first {formatSize(MAX_BYTES)} of {formatSize(bytes)}. Download the file to read all of
          it.
        </Text>
      )}
    </div>
  )
}
