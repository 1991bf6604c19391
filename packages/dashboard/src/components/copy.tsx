import { ActionIcon, Alert, Button, Code, Group, Stack, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { common } from '../i18n/en/common.ts'
import { fill } from '../i18n/texts.ts'
import { IconAlertTriangle, IconCopy } from '../icons/icons.tsx'
import classes from './copy.module.css'
import { Dialog } from './dialogs.tsx'
import { notify } from './notifications.tsx'

/** A small button beside a value. `what` names the value, such as `ID`. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const label = fill(common.copyWhat, { what })
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={() => void copyText(text, what)}
      >
        <IconCopy size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

/**
 * Copies the text and reports the result. Works on insecure pages too, where browsers offer no clipboard.
 * If the text cannot be copied, the message contains it, or `fallback` instead.
 */
export async function copyText(text: string, what: string, fallback = text): Promise<void> {
  const isCopied = await write(text)
  notify(
    isCopied
      ? { message: fill(common.copied, { what }) }
      : { isError: true, title: fill(common.copyFailed, { what }), message: fallback },
  )
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeWithoutClipboard(text)
  }
}

function writeWithoutClipboard(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'mantine-visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}

interface SecretDialogProps {
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
export function SecretDialog({
  isOpen,
  title,
  secret,
  noun,
  hint,
  onClose,
  children,
}: SecretDialogProps) {
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
            title={noun === 'key' ? common.copyKeyNow : common.copySecretNow}
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
              onClick={() => void copyText(secret, common[noun], common.copyManually)}
              autoFocus
            >
              {common.copy}
            </Button>
            <Button variant="default" onClick={onClose}>
              {common.saved}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
