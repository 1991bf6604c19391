import { Group, Pill, Text } from '@mantine/core'

interface Props {
  /** The kind of filter, such as “Folder”. */
  label: string
  clearLabel: string
  onClear(): void
  children: string
}

/** Shows an active filter, with a button to remove it. */
export function FilterPill({ label, clearLabel, onClear, children }: Props) {
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {label}:
      </Text>
      <Pill
        size="md"
        withRemoveButton
        removeButtonProps={{ 'aria-label': clearLabel, tabIndex: 0, 'aria-hidden': false }}
        onRemove={onClear}
      >
        <bdi dir="auto">{children}</bdi>
      </Pill>
    </Group>
  )
}
