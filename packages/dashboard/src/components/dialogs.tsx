import { Alert, Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { flushSync } from 'react-dom'
import { errorText } from '../format.ts'
import { problemText } from '../i18n/api-texts.ts'
import { common } from '../i18n/en/common.ts'
import { ActionButton } from './action-button.tsx'
import { useFocusReturn } from './focus.ts'

interface DialogProps extends Omit<ModalProps, 'opened' | 'returnFocus'> {
  isOpen: boolean
  title: string
}

export function Dialog({ isOpen, ...props }: DialogProps) {
  useFocusReturn(isOpen)
  return (
    <Modal
      opened={isOpen}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': common.close }}
      // Transitions with a transform clip the dropdowns inside of the dialog.
      transitionProps={{ transition: 'fade' }}
      {...props}
    />
  )
}

interface ConfirmDialogProps {
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
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, confirmLabel, cancelLabel = common.cancel, errorTitle, children } = props
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

interface DialogFormProps {
  /** It runs when the form is submitted. */
  mutation: { mutate(): void; isPending: boolean; error: Error | null }
  /** Shown above the error. */
  errorTitle?: string
  submitLabel: string
  isIncomplete?: boolean
  onClose(): void
  /** The fields. They show their own problems. */
  children: ReactNode
}

/** A form in a dialog: its fields, the error of its mutation, and its buttons. */
export function DialogForm(props: DialogFormProps) {
  const { mutation, errorTitle, submitLabel, isIncomplete = false } = props
  const { onClose, children } = props
  const { mutate, isPending, error } = mutation
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        {error !== null && !isStowageError(error, 'invalid') && (
          <Alert color="red" title={errorTitle} role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton isBusy={isPending} disabled={isIncomplete}>
            {submitLabel}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

/** The problems of each field that the service has refused. */
export function fieldProblems(error: unknown): Record<string, string[]> {
  if (!isStowageError(error, 'invalid')) return {}
  return Object.fromEntries(
    Object.entries(error.errors).map(([field, problems]) => [field, problems.map(problemText)]),
  )
}
