import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { errorWords } from '../format/error-text.ts'

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
  /** Aborted when people change their mind meanwhile: what is not done yet is not done any more. */
  onConfirm(signal: AbortSignal): void
  onClose(): void
  /** What it would mean. */
  children: ReactNode
}

/** Asks once more before something is gone for good. Keeping it is what Enter does. */
export function Confirm(props: Props) {
  const { isOpen, title, verb, failure, outcome, onConfirm, onClose, children } = props
  const doing = useRef<AbortController>(undefined)
  const shown = useRef(children)
  // While it fades, what it is about may be gone.
  if (isOpen) shown.current = children
  const confirm = () => {
    doing.current = new AbortController()
    onConfirm(doing.current.signal)
  }
  const close = () => {
    doing.current?.abort(new Error('It was kept.'))
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
        {shown.current}
        {outcome.error !== null && (
          <Alert color="red" title={failure} role="alert">
            {errorWords(outcome.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep
          </Button>
          <Button color="red" loading={outcome.isPending} onClick={confirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
