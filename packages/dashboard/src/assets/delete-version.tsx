import { Text } from '@mantine/core'
import { type Asset, isStowageError, type Version } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { notify } from '../components/notify.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  asset: Asset
  /** Undefined while the dialog is closed. */
  version: Version | undefined
  onClose(): void
}

export function DeleteVersion({ asset, version, onClose }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ number, signal }: { number: number; signal: AbortSignal }) =>
      client.deleteVersion(asset.id, number, { signal }).catch((error: unknown) => {
        // Someone else deleted it.
        if (!isStowageError(error, 'not_found')) throw error
      }),
    onSuccess(_result, { number }) {
      notify({ message: `Version ${number} deleted` })
      onClose()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <ConfirmDialog
      isOpen={version !== undefined}
      title="Delete this version?"
      confirmLabel="Delete version"
      errorTitle="Could not delete the version"
      mutation={deletion}
      onConfirm={(signal) => version && deletion.mutate({ number: version.version, signal })}
      onClose={onClose}
    >
      {version && (
        <Text size="sm">
          Version {version.version} ({version.size}) of “<bdi dir="auto">{version.filename}</bdi>”
          will no longer be available. The current version stays as it is.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        This cannot be undone. The storage becomes available immediately.
      </Text>
    </ConfirmDialog>
  )
}
