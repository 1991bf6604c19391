import { Badge, Tooltip } from '@mantine/core'
import { IconLock } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'

/** Explains why the pages have no buttons to upload, change or delete. */
export function ReadOnlyBadge() {
  if (useHasScope('write')) return null
  return (
    <Tooltip
      label="Your key is read-only. To make changes, sign in with a key that has the write or manage scope."
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
        Read-only
      </Badge>
    </Tooltip>
  )
}
