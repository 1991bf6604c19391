/* What a page shows instead of a list: an error, no items, or no items that match the filters. */

import { Alert, Anchor, Button, Center, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { errorText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { fill, formOf } from '../i18n/texts.ts'
import { type Icon, IconAlertTriangle, IconRefresh, IconSearchOff } from '../icons/icons.tsx'
import { useFocusHandover } from './focus.ts'
import { isUnreachable } from './reachable.ts'

interface ErrorAlertProps {
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
  retryLabel = common.tryAgain,
  isRepeated = true,
  onRetry,
}: ErrorAlertProps) {
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
        {isRepeated && isUnreachable(error) && ` ${common.retries}`}
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

interface EmptyStateProps {
  Icon: Icon
  color: string
  title: string
  /** What the reader can do next. */
  children?: ReactNode
}

/** Replaces a list that has no items. */
export function EmptyState({ Icon, color, title, children }: EmptyStateProps) {
  return (
    <Center mih={320}>
      <Stack align="center" gap="sm" ta="center" maw={440}>
        <Icon size={56} stroke={1.2} color={`var(--mantine-color-${color})`} aria-hidden />
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Center>
  )
}

interface NoMatchProps {
  title: string
  /** Active filters, which may exclude what the user searches for. */
  filters?: readonly string[]
  onClear(): void
}

export function NoMatch({ title, filters = [], onClear }: NoMatchProps) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <EmptyState Icon={IconSearchOff} color="dimmed" title={title}>
      {filters.length > 0 && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {fill(formOf(common.withFilters, filters.length), { filters: filters.join(', ') })}
        </Text>
      )}
      <Button ref={button} variant="default" onClick={onClear}>
        {common.clearFilters}
      </Button>
    </EmptyState>
  )
}

/** A link to the trash, in a sentence. */
export function TrashLink() {
  return (
    <Anchor component={Link} href="/trash" underline="always" inherit>
      {common.trash}
    </Anchor>
  )
}
