import { Notifications } from '@mantine/notifications'
import classes from './notification-area.module.css'

export function NotificationArea() {
  return (
    <Notifications
      position="top-right"
      notificationMaxHeight={400}
      classNames={{ root: classes.area }}
    />
  )
}
