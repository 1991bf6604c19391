import { useIntersection } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { assets as texts } from '../i18n/en/assets.ts'
import {
  type Icon,
  IconAlertTriangle,
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconLink,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import classes from './asset-icon.module.css'
import { type AssetKind, kindOf, previewKindOf } from './asset-kind.ts'

/** Larger images have no thumbnail: the service has no smaller versions, so the whole image would be loaded. */
const MAX_THUMBNAIL_BYTES = 500_000
/** Shorter than the validity of a signed URL, which is about an hour. */
const STALE_MS = 30 * 60_000

/** A small image of the asset if it is an image and small enough to load, an icon otherwise. */
export function AssetThumbnail({ asset }: { asset: Asset }) {
  const isImage = previewKindOf(asset) === 'image' && asset.bytes <= MAX_THUMBNAIL_BYTES
  if (isImage && !asset.damaged) return <Thumbnail key={asset.version} asset={asset} />
  return (
    <span className={classes.frame}>
      <AssetIcon asset={asset} />
    </span>
  )
}

/** Loads nothing until it is about to be visible. */
function Thumbnail({ asset }: { asset: Asset }) {
  const client = useClient()
  const { ref, entry } = useIntersection<HTMLSpanElement>({ rootMargin: '200px' })
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const { data } = useQuery({
    queryKey: queryKeys.thumbnailUrl(asset.id, asset.version),
    queryFn: ({ signal }) => client.address(asset.id, { signal }),
    enabled: entry?.isIntersecting ?? false,
    staleTime: STALE_MS,
  })
  return (
    <span ref={ref} className={classes.frame}>
      <AssetIcon asset={asset} />
      {data !== undefined && state !== 'failed' && (
        <img
          className={classes.image}
          data-loaded={state === 'loaded' || undefined}
          src={data.url}
          // The name is beside it.
          alt=""
          draggable={false}
          loading="lazy"
          decoding="async"
          onLoad={() => setState('loaded')}
          onError={() => setState('failed')}
        />
      )}
    </span>
  )
}

const ICONS: Record<AssetKind, Icon> = {
  link: IconLink,
  image: IconPhoto,
  audio: IconMusic,
  video: IconMovie,
  pdf: IconFileTypePdf,
  archive: IconFileZip,
  text: IconFileText,
  file: IconFile,
}

export function AssetIcon({ asset, size = 20 }: { asset: Asset; size?: number }) {
  const kind = kindOf(asset)
  const Icon = ICONS[kind]
  return (
    <Icon
      size={size}
      stroke={1.5}
      role="img"
      aria-label={texts.kinds[kind]}
      color="var(--mantine-color-dimmed)"
      style={{ flexShrink: 0 }}
    />
  )
}

/** Marks a damaged file. Consists of plain elements, like `AssetRow`, which contains it. */
export function DamagedMark() {
  return (
    <span className={classes.mark}>
      <IconAlertTriangle size={14} aria-hidden />
      {texts.damaged}
    </span>
  )
}
