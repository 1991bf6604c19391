import { Anchor, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { AssetIcon } from '../assets/asset-icon.tsx'
import { Name } from '../components/name.tsx'
import classes from './storage.module.css'

/** The lengths of the bars are relative to the largest file. */
export function LargestFiles({ files }: { files: readonly Asset[] }) {
  const [largest] = files
  if (largest === undefined) return <Text c="dimmed">No files yet.</Text>
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
              data-any={file.bytes > 0 || undefined}
              style={{ width: `${(file.bytes / Math.max(1, largest.bytes)) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ol>
  )
}
