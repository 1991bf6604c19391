import { Alert, Button, Code, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCopy } from '@tabler/icons-react'
import { copyText } from '../components/copy-text.ts'
import classes from './settings.module.css'

/** The only time that anybody sees it. */
export function NewSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Stack>
      <Alert
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title="Copy it now: it is never shown again"
        role="alert"
      >
        Keep it where secrets are kept. Whoever has it may do what the key may do.
      </Alert>
      <Code block={false} className={classes.secret} data-testid="secret">
        {secret}
      </Code>
      <Group justify="flex-end">
        <Button
          leftSection={<IconCopy size={18} aria-hidden />}
          onClick={() => void copyText(secret, 'Key', 'Select it and copy it by hand.')}
          data-autofocus
        >
          Copy
        </Button>
        <Button variant="default" onClick={onClose}>
          I have kept it
        </Button>
      </Group>
    </Stack>
  )
}
