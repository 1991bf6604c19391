import { Badge, Tooltip } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useMay } from '../session/require-scope.tsx'

/** Why there is nothing to upload, change or delete with. */
export function ReadOnlyNote() {
  if (useMay('write')) return null
  return (
    <Tooltip
      label="Your key may only read. To change things, sign in with a key of the scope write or manage."
      events={{ hover: true, focus: true, touch: true }}
      multiline
      withinPortal={false}
      maw={280}
    >
      <Badge
        color="gray"
        variant="light"
        leftSection={<IconLock size={14} aria-hidden />}
        tabIndex={0}
      >
        Read only
      </Badge>
    </Tooltip>
  )
}
