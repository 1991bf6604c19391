import { Badge } from '@mantine/core'
import { IconWifiOff } from '@tabler/icons-react'
import { useOnline } from '../components/use-online.ts'

export function OfflineBadge() {
  const isOnline = useOnline()
  return (
    <div role="status">
      {!isOnline && (
        <Badge color="orange" leftSection={<IconWifiOff size={14} aria-hidden />}>
          Offline
        </Badge>
      )}
    </div>
  )
}
