import { CONNECTION_OPTIONS } from '../connection/with-client.ts'
import { readOptions } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  type: { type: 'string', multiple: true },
  description: { type: 'string' },
  status: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

export const readWebhookOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
/** The options of `stowage webhooks`. */
export type WebhookValues = ReturnType<typeof readWebhookOptions>['values']
