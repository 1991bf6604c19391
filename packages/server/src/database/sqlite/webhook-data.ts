import type { Writer } from '../cache-account-data.ts'
import type { AccountWebhookData, DeliveryData } from '../webhook-data.ts'
import { prepareAttempts } from './attempts.ts'
import { prepareDeliveries } from './deliveries.ts'
import { prepareDeliveryQueue } from './delivery-queue.ts'
import type { Connection } from './statement.ts'
import type { UnitsOfWork } from './unit-of-work.ts'
import { prepareWebhooks } from './webhooks.ts'

/** The methods for the webhooks of one account. */
export function prepareAccountWebhookData(
  connection: Connection,
  run: UnitsOfWork,
): (writer: Writer) => AccountWebhookData {
  const webhooks = prepareWebhooks(connection)
  const deliveries = prepareDeliveries(connection)
  return (writer) => {
    const { read, write, free } = run.of(writer.account)
    return {
      addWebhook: (webhook, max) => write(() => webhooks.addWebhook(writer, webhook, max)),
      listWebhooks: () => read(() => webhooks.listWebhooks(writer.account)),
      findWebhook: (id) => read(() => webhooks.findWebhook(writer.account, id)),
      changeWebhook: (id, change, now) =>
        write(() => webhooks.changeWebhook(writer, id, change, now)),
      rotateSecret: (id, rotation) => write(() => webhooks.rotateSecret(writer, id, rotation)),
      deleteWebhook: (id) => free(() => webhooks.deleteWebhook(writer, id)),

      listDeliveries: (id, query) =>
        read(() => deliveries.listDeliveries(writer.account, id, query)),
      findDelivery: (webhookId, id) =>
        read(() => deliveries.findDelivery(writer.account, webhookId, id)),
      redeliver: (webhookId, id) =>
        write(() => deliveries.redeliver(writer.account, webhookId, id)),
      addPing: (delivery, claim) =>
        write(() => deliveries.addPing(writer.account, delivery, claim)),
      importWebhooks: (imported) =>
        write(() => deliveries.importWebhooks(writer.account, imported)),
    }
  }
}

/** The methods for the deliveries of all accounts. */
export function prepareDeliveryData(
  connection: Connection,
  { read, write, free }: UnitsOfWork,
): DeliveryData {
  const queue = prepareDeliveryQueue(connection)
  const attempts = prepareAttempts(connection)
  return {
    listWebhooksBehind: (options) => read(() => queue.listWebhooksBehind(options)),
    listEventTypes: (account, after, limit) =>
      read(() => queue.listEventTypes(account, after, limit)),
    addDeliveries: (id, range, deliveries) =>
      write(() => queue.addDeliveries(id, range, deliveries)),
    async claimDeliveries(health, times, limits) {
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (!(await read(() => queue.isAnyDue(times.now)))) return []
      return write(() => queue.claimDeliveries(health, times, limits))
    },
    nextDeliveryAt: (health) => read(() => queue.nextDeliveryAt(health)),
    renewClaims: (claimed, until) => write(() => queue.renewClaims(claimed, until)),
    releaseClaim: (claimed) => write(() => queue.releaseClaim(claimed)),
    recordAttempt: (claimed, result) => write(() => attempts.recordAttempt(claimed, result)),
    forgetDeliveries: (before, limit) => free(() => attempts.forgetDeliveries(before, limit)),
    trimDeliveries: (id, options) => free(() => attempts.trimDeliveries(id, options)),
    listAllWebhooks: (after, limit) => read(() => queue.listAllWebhooks(after, limit)),
    replaceSecrets: (id, expected, secrets) =>
      write(() => queue.replaceSecrets(id, expected, secrets)),
    listAllDeliveries: (id, after, limit) => read(() => queue.listAllDeliveries(id, after, limit)),
  }
}
