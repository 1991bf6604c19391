import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '../icons/icons.ts'

/** Explains why a damaged file cannot be downloaded, and how to repair it. */
export function DamagedAlert() {
  return (
    <Alert color="red" title="This file is damaged" icon={<IconAlertTriangle aria-hidden />}>
      The stored file has changed since the upload, cannot be read, or does not match the declared
      SHA-256, so this version cannot be downloaded. Replace it, or restore another one.
    </Alert>
  )
}
