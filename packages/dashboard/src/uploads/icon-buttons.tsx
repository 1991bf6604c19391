import { ActionIcon, Group, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

export interface IconButton {
  label: string
  Icon: Icon
  does(): void
}

interface Props {
  /** Whoever presses one stays on it, also when it becomes another: each place is one button. */
  places: (IconButton | undefined)[]
  /** What they are for, where there are many of the same. */
  of?: string
}

export function IconButtons({ places, of }: Props) {
  return (
    <Group gap={2} wrap="nowrap">
      {places.map(
        (button, place) =>
          button && (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is known by
            <Tooltip key={place} label={button.label}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={of === undefined ? button.label : `${button.label}: ${of}`}
                onClick={button.does}
              >
                <button.Icon size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          ),
      )}
    </Group>
  )
}
