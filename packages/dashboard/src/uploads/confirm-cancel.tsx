import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

/** What has arrived took its time: it is not thrown away by a slip of the finger. */
export function confirmCancel(what: string, onConfirm: () => void): void {
  modals.openConfirmModal({
    title: 'Cancel the upload?',
    children: (
      <Text size="sm">
        <bdi dir="auto">{what}</bdi>: what has arrived is removed. To go on later, pause instead.
      </Text>
    ),
    labels: { confirm: 'Cancel the upload', cancel: 'Keep it' },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm,
  })
}
