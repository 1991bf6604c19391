import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { EventPage, ListEventsHeaders, ListEventsQuery } from '../event.ts'
import { eventExample } from '../examples.ts'

export const listEvents = defineEndpoint({
  operationId: 'listEvents',
  methods: ['GET'],
  path: `${API_PREFIX}/events`,
  tag: 'Events',
  scope: 'read',
  summary: 'List events',
  description:
    'Every change of uploads, assets, products, orders, API keys, upload tokens and webhooks: who made the change, and the resource after the change. The oldest events come first. To follow the changes, repeat the call with `after` set to `meta.next_after`: no change is missed, and none is returned twice. Events are kept for 30 days (`STOWAGE_EVENTS_FOR`). If events after `after` may have been removed (`events_forgotten`), or if the database was restored from a backup and does not have the event `after` (`events_reset`), the response is 410: read `last_id` from it, list the assets and products, and continue after `last_id`. Events of API keys, upload tokens and webhooks require the scope `manage`, and are left out for other keys. See docs/events.md for all types.\n\nTo find out who did what, filter by `actor`, `search`, `from` and `to`, which combine with each other and with all other parameters of a page. A call examines at most 10,000 events: if `meta.has_more` is true, read the next page, even if this one has no events.\n\nWith `Accept: text/event-stream`, the response is a live stream of server-sent events: each message has the JSON of one event as `data` and its ID as `id`. It sends new events as they happen. With `after` or `Last-Event-ID`, it first sends the events after that ID. On each instance, a key can have 100 open streams, and an account 1,000.',
  query: ListEventsQuery,
  headers: ListEventsHeaders,
  success: {
    status: 200,
    description: 'One page',
    schema: EventPage,
    example: {
      data: [eventExample],
      meta: { next_after: eventExample.id, has_more: false, last_id: eventExample.id },
    },
  },
  errors: ['events_forgotten', 'events_reset', 'too_many_streams'],
})
