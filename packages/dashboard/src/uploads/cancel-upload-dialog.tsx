import { Text } from '@mantine/core'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'

interface Props {
  isOpen: boolean
  isAll: boolean
  /** Whether the upload has failed, so that it can only be tried again. */
  isStopped: boolean
  /** The name of the file, or the number of uploads. */
  subject: string
  onConfirm(): void
  onClose(): void
}

export function CancelUploadDialog({
  isOpen,
  isAll,
  isStopped,
  subject,
  onConfirm,
  onClose,
}: Props) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={isAll ? 'Cancel all uploads?' : 'Cancel upload?'}
      confirmLabel={isAll ? 'Cancel all' : 'Cancel upload'}
      cancelLabel={isStopped ? 'Keep upload' : 'Keep uploading'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        <bdi dir="auto">{subject}</bdi>
      </Text>
      <Text size="sm">
        The data uploaded so far will be deleted.{' '}
        {isStopped
          ? 'To continue, choose “Try again” instead.'
          : `To continue later, pause ${isAll ? 'the uploads' : 'the upload'} instead.`}
      </Text>
    </ConfirmDialog>
  )
}
