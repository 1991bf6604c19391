import { Button } from '@mantine/core'
import { IconSearchOff } from '../icons/icons.ts'
import { EmptyState } from './empty-state.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

export function NoMatch({ title, onClear }: { title: string; onClear(): void }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <EmptyState Icon={IconSearchOff} color="dimmed" title={title}>
      <Button ref={button} variant="default" onClick={onClear}>
        Clear search and filters
      </Button>
    </EmptyState>
  )
}
