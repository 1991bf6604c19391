import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { StowageEvent } from '@stowage/client'
import { sanitize } from '../text/sanitize.ts'
import { UsageError } from '../usage.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** The same as for webhooks of the service. */
const TIMEOUT_MS = 15_000

export interface Forwarding {
  /** Where events are sent, and the secret that they are signed with. */
  description: string
  /** Sends the event like a webhook. Returns the status, or why there is none. */
  forward(event: StowageEvent): Promise<string>
}

/** Throws `UsageError` for a malformed URL or secret. */
export function openForwarding(url: string, secret = newSecret()): Forwarding {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--forward ${url}: must be a URL, such as http://localhost:3000/hook.`)
  }
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  if (!secret.startsWith(PREFIX) || key.length === 0) {
    throw new UsageError('--secret: must start with whsec_, followed by base64.')
  }
  return {
    description: `Sending new events to ${url}. Press Ctrl-C to stop.\nThe secret of the receiver: ${secret}`,
    async forward(event) {
      // With the same fields as a webhook of the service.
      const body = JSON.stringify({ ...event, timestamp: event.created_at })
      const id = randomUUID()
      const timestamp = String(Math.floor(Date.now() / 1000))
      const content = `${id}.${timestamp}.${body}`
      const signature = createHmac('sha256', key).update(content).digest('base64')
      try {
        const response = await fetch(url, {
          method: 'POST',
          body,
          headers: {
            'Content-Type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': `v1,${signature}`,
          },
          redirect: 'manual',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        await response.body?.cancel()
        return String(response.status)
      } catch (error) {
        return sanitize(reasonOf(error))
      }
    },
  }
}

function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** If there is a cause, the message of fetch itself is only “fetch failed”. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  if (!(cause instanceof Error)) return message
  return cause.message || ('code' in cause ? String(cause.code) : message)
}
