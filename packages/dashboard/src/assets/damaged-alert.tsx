import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '../icons/icons.ts'

/** Says why a damaged file cannot be downloaded, and how to repair it. */
export function DamagedAlert() {
  return (
    <Alert color="red" title="This file is damaged" icon={<IconAlertTriangle aria-hidden />}>
      The stored bytes are not those that were uploaded or declared, so the file cannot be
      downloaded. Replace the file, or restore another version.
    </Alert>
  )
}
