import { Alert, Button, Code, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconAlertTriangle, IconCopy } from '../icons/icons.ts'
import { copyText } from './copy-text.ts'
import classes from './new-secret.module.css'

interface Props {
  secret: string
  noun: 'key' | 'secret'
  onClose(): void
  /** What the secret is for. */
  children: ReactNode
}

/** The service shows a secret only once. */
export function NewSecret({ secret, noun, onClose, children }: Props) {
  return (
    <Stack>
      <Alert
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title={`Copy the ${noun} now. It will not be shown again.`}
        role="alert"
      >
        {children}
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
  )
}
