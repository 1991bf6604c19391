import { Alert, Button, Code, Group, Stack } from '@mantine/core'
import { copyText } from '../components/copy-text.ts'
import { IconAlertTriangle, IconCopy } from '../icons/icons.ts'
import classes from './settings.module.css'

/** The service shows the secret of a key only once. */
export function NewSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Stack>
      <Alert
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title="Copy the key now. It will not be shown again."
        role="alert"
      >
        Store it like a password. Anyone who has the key can use it.
      </Alert>
      <Code block={false} className={classes.secret} data-testid="secret">
        {secret}
      </Code>
      <Group justify="flex-end">
        <Button
          leftSection={<IconCopy size={18} aria-hidden />}
          onClick={() => void copyText(secret, 'key', 'Select it and copy it manually.')}
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
