import { jobActor, OPERATOR } from '../domain/event.ts'

/** The actors of the events that the methods of `Database` record, as JSON. These methods get no actor. */
export const EXPIRY_JOB = JSON.stringify(jobActor('expire_uploads'))
export const TRASH_JOB = JSON.stringify(jobActor('empty_trash'))
export const VERIFICATION_JOB = JSON.stringify(jobActor('verify_files'))
export const DELIVERY_JOB = JSON.stringify(jobActor('deliver_webhooks'))
export const PLAN_OPERATOR = JSON.stringify(OPERATOR)
