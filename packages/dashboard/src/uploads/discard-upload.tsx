import { Button, type ButtonProps } from '@mantine/core'
import { confirmCancel } from './confirm-cancel.tsx'
import type { OfferedUpload } from './resumable-upload.ts'
import { WORTH_ASKING } from './upload-item.ts'
import { useUploads } from './uploads.tsx'

interface Props extends ButtonProps {
  offer: OfferedUpload
  onDone?(): void
}

/** Asks before hours of sending are lost. */
export function GiveUp({ offer, onDone, ...props }: Props) {
  const uploads = useUploads()
  const { name, size } = offer
  const giveUp = () => void uploads.giveUp(offer).then(onDone)
  const ask = () => {
    const instead = 'To go on later, leave it as it is.'
    confirmCancel({ what: name, verb: 'Give the upload up', instead }, giveUp)
  }
  return (
    <Button {...props} onClick={size < WORTH_ASKING ? giveUp : ask}>
      Give it up
    </Button>
  )
}
