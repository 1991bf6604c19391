import { useRef } from 'react'

interface Props {
  kind: 'audio' | 'video'
  url: string
  label: string
  onBroken(): void
}

/** Under another address it goes on where it was: the one of before had expired. */
export function MediaPreview({ kind: Media, url, label, onBroken }: Props) {
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
        onBroken()
      }}
    />
  )
}
