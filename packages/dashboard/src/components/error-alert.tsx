import { Alert, Button, Text } from '@mantine/core'
import { errorText } from '../format/error-text.ts'
import { IconAlertTriangle, IconRefresh } from '../icons/icons.ts'
import { isUnreachable } from './is-unreachable.ts'
import { useFocusHandover } from './use-focus-handover.ts'

interface Props {
  title: string
  error: unknown
  retryLabel?: string
  /** Whether the page repeats the request until the service is reachable. */
  isRepeated?: boolean
  onRetry(): void
}

export function ErrorAlert({
  title,
  error,
  retryLabel = 'Try again',
  isRepeated = true,
  onRetry,
}: Props) {
  const alert = useFocusHandover<HTMLDivElement>()
  return (
    <Alert
      ref={alert}
      color="red"
      title={title}
      icon={<IconAlertTriangle aria-hidden />}
      role="alert"
    >
      <Text size="sm" mb="sm">
        {errorText(error)}
        {isRepeated && isUnreachable(error) && ' The page retries automatically.'}
      </Text>
      <Button
        size="compact-md"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={onRetry}
      >
        {retryLabel}
      </Button>
    </Alert>
  )
}
