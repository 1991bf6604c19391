import { Alert, Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { flushSync } from 'react-dom'
import { errorText } from '../format/error-text.ts'
import { ActionButton } from './action-button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  isOpen: boolean
  /** The question. */
  title: string
  confirmLabel: string
  cancelLabel?: string
  /** The mutation of an action that takes time. The dialog shows its progress and its error. */
  mutation?: { isPending: boolean; error: Error | null; reset(): void }
  /** Shown above the error. */
  errorTitle?: string
  /** The signal is aborted when the dialog is closed before the action is done. */
  onConfirm(signal: AbortSignal): void
  onClose(): void
  /** The consequences. */
  children: ReactNode
}

/** Asks the user to confirm an action. The cancel button has the focus at first. */
export function ConfirmDialog(props: Props) {
  const { isOpen, title, confirmLabel, cancelLabel = 'Cancel', errorTitle, children } = props
  const { mutation, onConfirm, onClose } = props
  const running = useRef<AbortController>(undefined)
  const content = useRef(children)
  // The subject may already be removed while the dialog fades out.
  if (isOpen) content.current = children
  const confirm = () => {
    running.current = new AbortController()
    // Close first: the focus returns to the row, which can pass the focus on when the action removes the row.
    if (mutation === undefined) flushSync(onClose)
    onConfirm(running.current.signal)
  }
  const close = () => {
    running.current?.abort(new Error('The dialog was closed.'))
    mutation?.reset()
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <Stack gap="sm">
        {content.current}
        {mutation?.error && (
          <Alert color="red" title={errorTitle} role="alert">
            {errorText(mutation.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {cancelLabel}
          </Button>
          <ActionButton color="red" isBusy={mutation?.isPending ?? false} onClick={confirm}>
            {confirmLabel}
          </ActionButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
