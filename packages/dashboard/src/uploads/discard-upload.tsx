import { Button, type ButtonProps, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import type { ResumableUpload } from './resumable-upload.ts'
import { CONFIRM_FROM_BYTES } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props extends ButtonProps {
  'aria-label'?: string
  upload: ResumableUpload
  onDone?(): void
}

/** Discards an unfinished upload; a large one only after a confirmation. */
export function DiscardUpload({ upload, onDone, ...props }: Props) {
  const uploads = useUploads()
  const [isConfirming, confirming] = useDisclosure()
  const discard = () => void uploads.discard(upload).then(onDone)
  return (
    <>
      <Button {...props} onClick={upload.size < CONFIRM_FROM_BYTES ? discard : confirming.open}>
        Discard
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Discard upload?"
        confirmLabel="Discard upload"
        cancelLabel="Keep"
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
        <Text size="sm">
          The data uploaded so far will be deleted. Keep the upload if you want to resume it later.
        </Text>
      </ConfirmDialog>
    </>
  )
}
