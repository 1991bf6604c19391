import { ActionIcon, Tooltip } from '@mantine/core'
import { IconCopy } from '../icons/icons.ts'
import { copyText } from './copy-text.ts'

/** A small button beside a value. `what` names the value: "Copy ID". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const label = `Copy ${what}`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={() => void copyText(text, what)}
      >
        <IconCopy size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
