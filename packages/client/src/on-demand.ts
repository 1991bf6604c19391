/*
 * The code that most pages do not need. It is one module, because a bundler splits the rest of the client once for each
 * module that is loaded on demand.
 */
export { createAccountCalls } from './account-calls.ts'
export { followEvents } from './events.ts'
export { createMailCalls } from './mails.ts'
export { createOrderCalls } from './orders.ts'
export { createRareCalls } from './rare-calls.ts'
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
