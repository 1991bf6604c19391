import { useRef } from 'react'

interface Props {
  kind: 'audio' | 'video'
  url: string
  label: string
  onError(): void
}

/** Keeps the playback position when the URL changes after the previous one expired. */
export function MediaPreview({ kind: Media, url, label, onError }: Props) {
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
