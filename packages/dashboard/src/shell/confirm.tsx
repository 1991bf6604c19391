import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { errorWords } from '../format/error-words.ts'

interface Props {
  isOpen: boolean
  /** The question, as a title. */
  title: string
  /** On the button that does it. */
  verb: string
  /** Said above the reason when it could not be done. */
  failure: string
  /** What doing it has come to: a mutation. */
  outcome: { isPending: boolean; error: Error | null; reset(): void }
  onConfirm(): void
  onClose(): void
  /** What it would mean. */
  children: ReactNode
}

/** Asks once more before something is gone for good. Keeping it is what Enter does. */
export function Confirm(props: Props) {
  const { isOpen, title, verb, failure, outcome, onConfirm, onClose, children } = props
  const close = () => {
    outcome.reset()
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        {children}
        {outcome.error !== null && (
          <Alert color="red" title={failure} role="alert">
            {errorWords(outcome.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep
          </Button>
          <Button color="red" loading={outcome.isPending} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
