import { Text } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { Blank } from '../components/empty-state.tsx'
import { useMay } from '../session/require-scope.tsx'

/** Nothing was ever stored: what to do first. */
export function FirstUse() {
  if (!useMay('write')) {
    return <Blank Picture={IconCloudUpload} color="dimmed" title="Nothing is stored yet" />
  }
  return (
    <Blank Picture={IconCloudUpload} color="anchor" title="Drop your first file here">
      <Text c="dimmed">
        Files and whole folders, anywhere on this page, of any size. An upload that is cut off goes
        on where it was.
      </Text>
    </Blank>
  )
}
