import { Alert, Button, Text } from '@mantine/core'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { IconPlugConnectedX } from '../icons/icons.ts'
import type { PickedFile } from './picked-file.ts'
import { useUploads } from './uploads.tsx'

/** Files that were picked while the service could not be reached. */
export function WaitingFiles({ files }: { files: readonly PickedFile[] }) {
  const uploads = useUploads()
  const alert = useFocusHandover<HTMLDivElement>()
  const subject = files.length === 1 ? files[0]?.file.name : countText(files.length, 'file')
  return (
    <Alert
      ref={alert}
      color="orange"
      title="The service cannot be reached"
      icon={<IconPlugConnectedX aria-hidden />}
      role="status"
    >
      <Text size="sm" lineClamp={4} mb="xs">
        <bdi dir="auto">{subject}</bdi> will be uploaded as soon as the service responds. Keep this
        page open.
      </Text>
      <Button size="compact-sm" variant="default" onClick={uploads.cancelWaiting}>
        Do not upload
      </Button>
    </Alert>
  )
}
