import type { Event } from '../../domain/event.ts'
import type { Delivery } from '../../domain/webhook.ts'
import { UnreadableEvent } from '../../errors.ts'
import type { AccountContext, Context } from '../context.ts'

/** The body of the requests of an event. It is the same in all attempts. */
export function bodyOfEvent({ presentEvent }: Pick<Context, 'presentEvent'>, event: Event): string {
  const { id, type, ...rest } = presentEvent(event)
  // `timestamp` is the name that Standard Webhooks recommends for the time of the event.
  return JSON.stringify({ id, type, timestamp: rest.created_at, ...rest })
}

/** A delivery with its body; null if its event was forgotten or cannot be read. */
export interface DeliveryWithBody extends Omit<Delivery, 'body'> {
  body: string | null
}

export async function withBody(
  context: Pick<AccountContext, 'data' | 'presentEvent'>,
  delivery: Delivery,
): Promise<DeliveryWithBody> {
  const { eventId, body } = delivery
  if (body !== '' || eventId === null) return delivery
  const range = { after: eventId - 1, before: eventId + 1, limit: 1 }
  try {
    const [event] = (await context.data.listEvents(range)).events
    return { ...delivery, body: event === undefined ? null : bodyOfEvent(context, event) }
  } catch (error) {
    if (error instanceof UnreadableEvent) return { ...delivery, body: null }
    throw error
  }
}
