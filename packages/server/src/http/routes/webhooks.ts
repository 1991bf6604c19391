import { endpoints, MAX_DELIVERY_PAGE_SIZE } from '@stowage/protocol'
import type { WebhookState } from '../../domain/webhook.ts'
import { changeWebhook } from '../../operations/webhooks/change-webhook.ts'
import { createWebhook } from '../../operations/webhooks/create-webhook.ts'
import { deleteWebhook } from '../../operations/webhooks/delete-webhook.ts'
import { getDelivery } from '../../operations/webhooks/get-delivery.ts'
import { getWebhook } from '../../operations/webhooks/get-webhook.ts'
import { listDeliveries } from '../../operations/webhooks/list-deliveries.ts'
import { listWebhooks } from '../../operations/webhooks/list-webhooks.ts'
import { pingWebhook } from '../../operations/webhooks/ping-webhook.ts'
import { redeliver } from '../../operations/webhooks/redeliver.ts'
import { rotateSecret } from '../../operations/webhooks/rotate-secret.ts'
import { readPageRequest } from '../requests/read-page-request.ts'
import { presentPage } from '../responses/present-page.ts'
import {
  presentDelivery,
  presentDeliveryWithBody,
  presentWebhook,
} from '../responses/present-webhook.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const webhookRoutes: RouteGroup = (app, options) => {
  const { baseUrl } = options
  const present = (webhook: WebhookState) => presentWebhook(webhook, options.context.clock())

  route(app, options, endpoints.listWebhooks, async ({ context }) => {
    return { data: (await listWebhooks(context)).map(present) }
  })

  route(app, options, endpoints.createWebhook, async ({ context, body }, reply) => {
    const { url, description = '', types = null } = body
    const webhook = await createWebhook(context, { url, description, types })
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
    const links = presentPage(position, { base: baseUrl(), url })
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
