import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import type { Icon } from '../icons/create-icon.tsx'

export interface IconAction {
  label: string
  Icon: Icon
  run(): void
}

interface Props {
  /** One per position, so that a button keeps the focus when its action changes, as from pause to resume. */
  actions: (IconAction | undefined)[]
  /** What the buttons act on, for screen readers. */
  subject?: string
}

export function IconButtons({ actions, subject }: Props) {
  return (
    <Group gap={2} wrap="nowrap">
      {actions.map(
        (action, position) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies the button
          action && <IconButton key={position} action={action} subject={subject} />,
      )}
    </Group>
  )
}

function IconButton({ action, subject }: { action: IconAction; subject: string | undefined }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Tooltip label={action.label}>
      <ActionIcon
        ref={button}
        variant="subtle"
        color="gray"
        aria-label={subject === undefined ? action.label : `${action.label}: ${subject}`}
        onClick={action.run}
      >
        <action.Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
