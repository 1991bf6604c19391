import type * as wire from '@stowage/protocol'
import { endpoints, MAX_DELIVERY_PAGE_SIZE } from '@stowage/protocol'
import { publicEventId } from '../../domain/event.ts'
import type { Attempt, ListedDelivery, WebhookState } from '../../domain/webhook.ts'
import {
  type DeliveryWithBody,
  getDelivery,
  listDeliveries,
  pingWebhook,
  redeliver,
} from '../../operations/deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
} from '../../operations/webhooks.ts'
import { readIdempotency, readPageRequest } from '../requests.ts'
import { presentPage } from '../responses/page.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const webhookRoutes: RouteGroup = (app, options) => {
  const { baseUrl } = options
  const present = (webhook: WebhookState) => presentWebhook(webhook, options.context.clock())

  route(app, options, endpoints.listWebhooks, async ({ context }) => {
    return { data: (await listWebhooks(context)).map(present) }
  })

  route(app, options, endpoints.createWebhook, async (request, reply) => {
    const { url, description = '', types = null } = request.body
    const idempotency = readIdempotency(endpoints.createWebhook, request)
    const details = { url, description, types }
    const { webhook, isRepeated } = await createWebhook(request.context, details, idempotency)
    nameCreated(reply, options, { path: `/webhooks/${webhook.id}`, isRepeated })
    reply.header('Cache-Control', 'no-store')
    return { data: { ...present(webhook), secret: webhook.secret } }
  })

  route(app, options, endpoints.readWebhook, async ({ context, params }) => {
    return { data: present(await getWebhook(context, params.id)) }
  })

  route(app, options, endpoints.changeWebhook, async ({ context, params, body }) => {
    const { enabled, ...rest } = body
    const change = { ...rest, ...(enabled !== undefined && { isEnabled: enabled }) }
    return { data: present(await changeWebhook(context, params.id, change)) }
  })

  route(app, options, endpoints.deleteWebhook, async ({ context, params }) => {
    await deleteWebhook(context, params.id)
    return { deleted: true }
  })

  route(app, options, endpoints.rotateWebhookSecret, async ({ context, params }, reply) => {
    const webhook = await rotateSecret(context, params.id)
    reply.header('Cache-Control', 'no-store')
    return { data: { ...present(webhook), secret: webhook.secret } }
  })

  route(app, options, endpoints.pingWebhook, async ({ context, params }) => {
    return { data: presentDeliveryWithBody(await pingWebhook(context, params.id)) }
  })

  route(app, options, endpoints.listDeliveries, async ({ context, params, query, url }) => {
    const { status, limit, ...rest } = query
    const page = { ...rest, ...(limit && { limit: Math.min(limit, MAX_DELIVERY_PAGE_SIZE) }) }
    const request = { ...readPageRequest(page, 'created_at'), status }
    const { deliveries, position } = await listDeliveries(context, params.id, request)
    const list = { base: baseUrl(), url, query: endpoints.listDeliveries.query }
    const links = presentPage(position, list)
    return { data: deliveries.map(presentDelivery), ...links }
  })

  route(app, options, endpoints.readDelivery, async ({ context, params }) => {
    const delivery = await getDelivery(context, params.id, params.delivery)
    return { data: presentDeliveryWithBody(delivery) }
  })

  route(app, options, endpoints.redeliver, async ({ context, params }) => {
    const delivery = await redeliver(context, params.id, params.delivery)
    return { data: presentDeliveryWithBody(delivery) }
  })
}

/** Without its secrets. */
function presentWebhook(webhook: WebhookState, now: Date): wire.Webhook {
  const valid = webhook.previousSecrets.filter(({ validUntil }) => validUntil > now)
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    types: webhook.types,
    enabled: webhook.disabled === null,
    disabled_reason: webhook.disabled?.reason ?? null,
    disabled_at: webhook.disabled?.at.toISOString() ?? null,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    pending: webhook.pending,
    missed_events: webhook.missed?.count ?? 0,
    missed_at: webhook.missed?.at.toISOString() ?? null,
    previous_secret_valid_until: valid[0]?.validUntil.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}

function presentDelivery(delivery: ListedDelivery): wire.Delivery {
  const { eventId, eventAt } = delivery
  return {
    id: delivery.id,
    event_id: eventId === null ? null : publicEventId(eventId, eventAt ?? null),
    type: delivery.type,
    status: delivery.status,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(presentAttempt),
  }
}

function presentDeliveryWithBody(delivery: DeliveryWithBody): wire.DeliveryWithBody {
  return { ...presentDelivery(delivery), body: delivery.body }
}

function presentAttempt(attempt: Attempt): wire.DeliveryAttempt {
  return {
    attempted_at: attempt.at.toISOString(),
    url: attempt.url,
    status: attempt.status,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    response: attempt.response,
  }
}
