import { Text } from '@mantine/core'
import { EmptyState } from '../components/empty-state.tsx'
import { IconCloudUpload } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'

/** Replaces the list while the account has no assets. */
export function FirstUse() {
  if (!useHasScope('write')) {
    return <EmptyState Icon={IconCloudUpload} color="dimmed" title="No assets yet" />
  }
  return (
    <EmptyState Icon={IconCloudUpload} color="anchor" title="Drop your first file here">
      <Text c="dimmed">
        Drop files and folders anywhere on this page, or choose “Upload”. An interrupted upload
        resumes where it stopped.
      </Text>
    </EmptyState>
  )
}
