import { Button, Text } from '@mantine/core'
import { IconSearchOff } from '../icons/icons.ts'
import { EmptyState } from './empty-state.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

interface Props {
  title: string
  /** Active filters, which may exclude what the user searches for. */
  filters?: readonly string[]
  onClear(): void
}

export function NoMatch({ title, filters = [], onClear }: Props) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <EmptyState Icon={IconSearchOff} color="dimmed" title={title}>
      {filters.length > 0 && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          with the {filters.length === 1 ? 'filter' : 'filters'} {filters.join(', ')}
        </Text>
      )}
      <Button ref={button} variant="default" onClick={onClear}>
        Clear search and filters
      </Button>
    </EmptyState>
  )
}
