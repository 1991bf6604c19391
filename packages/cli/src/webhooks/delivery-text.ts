import type { Delivery, DeliveryAttempt, DeliveryWithBody } from '@stowage/client'
import { tableWidth } from '../output.ts'
import { formatMinute } from '../text/format-minute.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Column, table } from '../text/table.ts'

const COLUMNS: Column[] = [
  { head: 'ID' },
  { head: 'TYPE' },
  { head: 'STATUS' },
  { head: 'LAST RESPONSE', minWidth: 12, dropOrder: 2 },
  { head: 'CREATED', dropOrder: 4 },
  { head: 'NEXT ATTEMPT', dropOrder: 3 },
]

export function deliveryTable(list: Delivery[]): string {
  return table(
    COLUMNS,
    list.map((delivery) => {
      const last = delivery.attempts.at(-1)
      return [
        delivery.id,
        delivery.type,
        delivery.status,
        last ? responseOf(last) : '',
        formatMinute(delivery.created_at),
        delivery.next_attempt_at ? formatMinute(delivery.next_attempt_at) : '',
      ]
    }),
    { columns: tableWidth() },
  )
}

/** A delivery with all of its attempts and its body. */
export function deliveryText(delivery: DeliveryWithBody): string {
  const attempts = delivery.attempts.map((attempt) => {
    const response = attempt.response ? `\n    ${sanitize(attempt.response)}` : ''
    return `  ${attempt.attempted_at}  ${responseOf(attempt)}${response}`
  })
  const body = delivery.body ?? 'The event is no longer kept, so the body cannot be shown.'
  return [`${delivery.id}  ${outcomeOf(delivery)}`, ...attempts, '', sanitize(body)].join('\n')
}

/** Such as `ping succeeded: HTTP 200 in 85 ms`. */
export function outcomeOf({ type, status, attempts }: Delivery): string {
  const last = attempts.at(-1)
  return `${sanitize(type)} ${status}${last ? `: ${responseOf(last)}` : ''}`
}

function responseOf({ status, error, duration_ms }: DeliveryAttempt): string {
  if (status === null) return `${sanitize(error ?? 'no response')} (${duration_ms} ms)`
  return `HTTP ${status} in ${duration_ms} ms`
}
