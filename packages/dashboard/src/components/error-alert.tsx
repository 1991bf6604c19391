import { Alert, Button, Text } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { errorWords } from '../format/error-text.ts'

interface Props {
  title: string
  error: unknown
  onRetry(): void
}

/** What went wrong, what to do about it, and another try. */
export function Problem({ title, error, onRetry }: Props) {
  return (
    <Alert color="red" title={title} icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Text size="sm" mb="sm">
        {errorWords(error)}
      </Text>
      <Button
        size="compact-md"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={onRetry}
      >
        Try again
      </Button>
    </Alert>
  )
}
