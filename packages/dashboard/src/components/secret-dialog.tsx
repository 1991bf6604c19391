import { Alert, Button, Code, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconAlertTriangle, IconCopy } from '../icons/icons.ts'
import { copyText } from './copy-text.ts'
import { Dialog } from './dialog.tsx'
import classes from './secret-dialog.module.css'

interface Props {
  isOpen: boolean
  title: string
  /** Undefined until it is created. Until then, the dialog shows its children. */
  secret: string | undefined
  noun: 'key' | 'secret'
  /** How the secret is used. */
  hint: string
  onClose(): void
  /** The form that creates the secret. */
  children?: ReactNode
}

/**
 * Shows a new secret, which the service returns only once. While the secret is visible, only the button “I have saved
 * it” closes the dialog.
 */
export function SecretDialog({ isOpen, title, secret, noun, hint, onClose, children }: Props) {
  const canClose = secret === undefined
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={canClose}
      closeOnClickOutside={canClose}
      closeOnEscape={canClose}
    >
      {canClose ? (
        children
      ) : (
        <Stack>
          <Alert
            color="orange"
            icon={<IconAlertTriangle aria-hidden />}
            title={`Copy the ${noun} now. It will not be shown again.`}
            role="alert"
          >
            {hint}
          </Alert>
          <Code block={false} className={classes.secret} data-testid="secret">
            {secret}
          </Code>
          <Group justify="flex-end">
            <Button
              leftSection={<IconCopy size={18} aria-hidden />}
              onClick={() => void copyText(secret, noun, 'Select it and copy it manually.')}
              autoFocus
            >
              Copy
            </Button>
            <Button variant="default" onClick={onClose}>
              I have saved it
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
