import type { Writer } from '../cache-account-data.ts'
import type { AccountWebhookData, DeliveryData } from '../webhook-data.ts'
import { webhookAttempts } from './attempts.ts'
import type { Sql } from './connection.ts'
import { accountDeliveries } from './deliveries.ts'
import { deliveryQueue } from './delivery-queue.ts'
import type { RunUnit } from './unit-of-work.ts'
import { accountWebhooks } from './webhooks.ts'

/** The methods for the webhooks of one account. */
export function accountWebhookData(
  { read, change, write }: { read: RunUnit; change: RunUnit; write: RunUnit },
  writer: Writer,
): AccountWebhookData {
  const { account } = writer
  const webhooks = (sql: Sql) => accountWebhooks(sql, writer)
  const deliveries = (sql: Sql) => accountDeliveries(sql, account)
  return {
    addWebhook: (webhook, max) => write((sql) => webhooks(sql).addWebhook(webhook, max)),
    listWebhooks: () => read((sql) => webhooks(sql).listWebhooks()),
    findWebhook: (id) => read((sql) => webhooks(sql).findWebhook(id)),
    changeWebhook: (id, change, now) =>
      write((sql) => webhooks(sql).changeWebhook(id, change, now)),
    rotateSecret: (id, rotation) => write((sql) => webhooks(sql).rotateSecret(id, rotation)),
    deleteWebhook: (id) => write((sql) => webhooks(sql).deleteWebhook(id)),

    listDeliveries: (id, query) => read((sql) => deliveries(sql).listDeliveries(id, query)),
    findDelivery: (webhookId, id) => read((sql) => deliveries(sql).findDelivery(webhookId, id)),
    redeliver: (webhookId, id) => change((sql) => deliveries(sql).redeliver(webhookId, id)),
    addPing: (delivery, claim) => change((sql) => deliveries(sql).addPing(delivery, claim)),
    importWebhooks: (imported) => change((sql) => deliveries(sql).importWebhooks(imported)),
  }
}

/** The methods for the deliveries of all accounts. */
export function deliveryData(run: RunUnit): DeliveryData {
  return {
    listWebhooksBehind: (options) => run((sql) => deliveryQueue(sql).listWebhooksBehind(options)),
    listEventTypes: (account, after, limit) =>
      run((sql) => deliveryQueue(sql).listEventTypes(account, after, limit)),
    addDeliveries: (id, range, deliveries) =>
      run((sql) => deliveryQueue(sql).addDeliveries(id, range, deliveries)),
    claimDeliveries: (health, times, limits) =>
      run((sql) => deliveryQueue(sql).claimDeliveries(health, times, limits)),
    nextDeliveryAt: (health) => run((sql) => deliveryQueue(sql).nextDeliveryAt(health)),
    renewClaims: (claimed, until) => run((sql) => deliveryQueue(sql).renewClaims(claimed, until)),
    releaseClaim: (claimed) => run((sql) => deliveryQueue(sql).releaseClaim(claimed)),
    recordAttempt: (claimed, result) =>
      run((sql) => webhookAttempts(sql).recordAttempt(claimed, result)),
    forgetDeliveries: (before, limit) =>
      run((sql) => webhookAttempts(sql).forgetDeliveries(before, limit)),
    trimDeliveries: (id, options) => run((sql) => webhookAttempts(sql).trimDeliveries(id, options)),
    listAllWebhooks: (after, limit) =>
      run((sql) => deliveryQueue(sql).listAllWebhooks(after, limit)),
    replaceSecrets: (id, expected, secrets) =>
      run((sql) => deliveryQueue(sql).replaceSecrets(id, expected, secrets)),
    listAllDeliveries: (id, after, limit) =>
      run((sql) => deliveryQueue(sql).listAllDeliveries(id, after, limit)),
  }
}
