import type { Webhook } from '@stowage/client'
import { tableWidth } from '../output.ts'
import { formatMinute } from '../text/format-minute.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Column, table } from '../text/table.ts'

const COLUMNS: Column[] = [
  { head: 'ID' },
  { head: 'URL', minWidth: 20 },
  { head: 'STATE' },
  { head: 'PENDING', align: 'right', dropOrder: 2 },
  { head: 'TYPES', minWidth: 8, dropOrder: 3 },
  { head: 'CREATED', dropOrder: 4 },
]

export function webhookTable(list: Webhook[]): string {
  return table(
    COLUMNS,
    list.map((webhook) => [
      webhook.id,
      webhook.url,
      stateOf(webhook),
      String(webhook.pending),
      webhook.types?.join(', ') ?? 'all',
      formatMinute(webhook.created_at),
    ]),
    { columns: tableWidth() },
  )
}

export function webhookText(webhook: Webhook): string {
  const details: [string, string | null][] = [
    ['id', webhook.id],
    ['description', webhook.description || null],
    ['state', stateOf(webhook)],
    ['disabled', webhook.disabled_at],
    ['failing', webhook.failing_since && `since ${webhook.failing_since}`],
    ['missed', webhook.missed_at && `${webhook.missed_events} events, last ${webhook.missed_at}`],
    ['pending', `${webhook.pending} ${webhook.pending === 1 ? 'delivery' : 'deliveries'}`],
    ['types', webhook.types?.join(', ') ?? 'all'],
    [
      'old secret',
      webhook.previous_secret_valid_until && `valid until ${webhook.previous_secret_valid_until}`,
    ],
    ['created', webhook.created_at],
  ]
  const lines = details.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(13)}${sanitize(value)}`],
  )
  return [sanitize(webhook.url), ...lines].join('\n')
}

const REASONS = {
  manual: 'disabled',
  failing: 'disabled after 3 days of failures',
  gone: 'disabled: the endpoint returned 410',
}

function stateOf({ disabled_reason, failing_since }: Webhook): string {
  if (disabled_reason !== null) return REASONS[disabled_reason]
  return failing_since === null ? 'enabled' : 'failing'
}
