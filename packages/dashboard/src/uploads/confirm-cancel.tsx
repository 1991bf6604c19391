import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

interface Question {
  /** The file, or how many of them. */
  what: string
  verb?: string
  /** What to do in order to go on later. */
  instead?: string
}

/** What has arrived took its time: it is not thrown away by a slip of the finger. */
export function confirmCancel(
  { what, verb = 'Cancel the upload', instead = 'To go on later, pause instead.' }: Question,
  onConfirm: () => void,
): void {
  modals.openConfirmModal({
    title: `${verb}?`,
    children: (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <bdi dir="auto">{what}</bdi>: what has arrived is removed. {instead}
      </Text>
    ),
    labels: { confirm: verb, cancel: 'Keep it' },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm,
  })
}
