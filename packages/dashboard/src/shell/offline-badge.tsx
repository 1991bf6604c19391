import { Badge } from '@mantine/core'
import { useOnline } from '../components/use-online.ts'
import { IconWifiOff } from '../icons/icons.ts'

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
