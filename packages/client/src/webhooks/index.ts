export type { StowageEvent } from '../events/types.ts'
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.ts'
