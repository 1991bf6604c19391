import { Badge } from '@mantine/core'
import type { Webhook } from '@stowage/client'

type Facts = Pick<Webhook, 'enabled' | 'failing_since'>

export function WebhookState({ webhook }: { webhook: Facts }) {
  const [color, text] = stateOf(webhook)
  return (
    <Badge variant="light" color={color} miw="fit-content">
      {text}
    </Badge>
  )
}

function stateOf({ enabled, failing_since }: Facts): [color: string, text: string] {
  if (!enabled) return ['red', 'Disabled']
  return failing_since === null ? ['green', 'Enabled'] : ['orange', 'Failing']
}
