import { Alert, Button, Group, Stack } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import type { FormEvent, ReactNode } from 'react'
import { errorText } from '../format/error-text.ts'
import { ActionButton } from './action-button.tsx'

interface Props {
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
export function DialogForm(props: Props) {
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
            Cancel
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
  return isStowageError(error, 'invalid') ? error.errors : {}
}
