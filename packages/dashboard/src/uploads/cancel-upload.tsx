import { Button, type ButtonProps, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { Name } from '../components/values.tsx'
import { uploads as texts } from '../i18n/en/uploads.ts'
import type { ResumableUpload } from './resumable-upload.ts'
import { CONFIRM_FROM_BYTES } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface CancelUploadProps {
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
}: CancelUploadProps) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={isAll ? texts.cancelAllQuestion : texts.cancelQuestion}
      confirmLabel={isAll ? texts.cancelAll : texts.cancelUpload}
      cancelLabel={isStopped ? texts.keepUpload : texts.keepUploading}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        <bdi dir="auto">{subject}</bdi>
      </Text>
      <Text size="sm">
        {isStopped && texts.cancelStoppedHint}
        {!isStopped && (isAll ? texts.cancelAllHint : texts.cancelHint)}
      </Text>
    </ConfirmDialog>
  )
}

interface DiscardUploadProps extends ButtonProps {
  'aria-label'?: string
  upload: ResumableUpload
  onDone?(): void
}

/** Discards an unfinished upload; a large one only after a confirmation. */
export function DiscardUpload({ upload, onDone, ...props }: DiscardUploadProps) {
  const uploads = useUploads()
  const [isConfirming, confirming] = useDisclosure()
  const discard = () => void uploads.discard(upload).then(onDone)
  return (
    <>
      <Button {...props} onClick={upload.size < CONFIRM_FROM_BYTES ? discard : confirming.open}>
        {texts.discard}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={texts.discardQuestion}
        confirmLabel={texts.discardUpload}
        cancelLabel={texts.keep}
        onConfirm={discard}
        onClose={confirming.close}
      >
        <div>
          <Name fw={600}>{upload.name}</Name>
          {upload.path !== null && (
            <Name fz="sm" c="dimmed">
              {upload.path}
            </Name>
          )}
        </div>
        <Text size="sm">{texts.discardHint}</Text>
      </ConfirmDialog>
    </>
  )
}
