import { Badge } from '@mantine/core'
import type { Mail } from '@stowage/client'
import { mails as texts } from '../i18n/en/mails.ts'

const COLORS = { queued: 'cyan', sending: 'cyan', sent: 'green', failed: 'red', cancelled: 'gray' }

export function MailState({ state }: Pick<Mail, 'state'>) {
  return (
    <Badge size="sm" variant="light" miw="max-content" color={COLORS[state]}>
      {texts.states[state]}
    </Badge>
  )
}
