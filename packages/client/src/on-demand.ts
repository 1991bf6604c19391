/*
 * The code that most pages do not need. It is one module, because a bundler splits the rest of the client once for each
 * module that is loaded on demand.
 */
import { type AccountCallsOnDemand, createAccountCalls, type Remove } from './account-calls.ts'
import { type BulkCalls, createBulkCalls } from './bulk-calls.ts'
import { createMailCalls, type MailCallsOnDemand } from './mails.ts'
import { createOrderCalls, type OrderCallsOnDemand } from './orders.ts'
import { createRareCalls, type RareCalls } from './rare-calls.ts'
import type { Request } from './request.ts'

export { followEvents } from './events.ts'
export { createBackendRequest } from './upload/backend-request.ts'
export {
  attachSession,
  declareNext,
  explainUnknownLength,
  moveSession,
} from './upload/change-session.ts'
export { findById } from './upload/find-by-id.ts'
export { mimeOf } from './upload/mime.ts'
export { openStream, openStreamOfUnknownLength } from './upload/stream-source.ts'

export type CallsOnDemand = OrderCallsOnDemand &
  MailCallsOnDemand &
  AccountCallsOnDemand &
  BulkCalls &
  RareCalls

export function createCallsOnDemand(request: Request, remove: Remove): CallsOnDemand {
  return {
    ...createOrderCalls(request),
    ...createMailCalls(request),
    ...createAccountCalls(request, remove),
    ...createBulkCalls(request),
    ...createRareCalls(request),
  }
}
