import { Anchor, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { AssetIcon } from '../assets/asset-icon.tsx'
import { Name } from '../components/name.tsx'
import classes from './storage.module.css'

interface Props {
  files: readonly Asset[]
  /** Undefined while it is loading. */
  stored: number | undefined
}

/** The bar of each file shows its share of all stored bytes. */
export function LargestFiles({ files, stored = 0 }: Props) {
  const [largest] = files
  if (largest === undefined) return <Text c="dimmed">No files yet.</Text>
  // The file may be newer than the total.
  const whole = Math.max(1, stored, largest.bytes)
  return (
    <ol className={classes.files}>
      {files.map((file) => (
        <li key={file.id}>
          <AssetIcon asset={file} size={18} />
          <Anchor component={Link} href={`/assets/${file.id}`} c="inherit" size="sm" miw={0}>
            <Name>{file.filename}</Name>
          </Anchor>
          <span className={classes.number}>{formatSize(file.bytes)}</span>
          <span className={classes.track} aria-hidden>
            <span
              className={`${classes.bar} ${classes.stored}`}
              style={{ width: `${(file.bytes / whole) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ol>
  )
}
