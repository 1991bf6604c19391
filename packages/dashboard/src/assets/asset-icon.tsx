import type { Asset } from '@stowage/client'
import type { Icon } from '../icons/create-icon.tsx'
import {
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconLink,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '../icons/icons.ts'
import { type AssetKind, KIND_LABELS, kindOf } from './asset-kind.ts'

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
      aria-label={KIND_LABELS[kind]}
      color="var(--mantine-color-dimmed)"
      style={{ flexShrink: 0 }}
    />
  )
}
