import type { DeliveryAttempt } from '@stowage/client'

/** Such as `HTTP 200 in 85 ms`. */
export function responseText({ status, error, duration_ms }: DeliveryAttempt): string {
  return status === null ? `${error} (${duration_ms} ms)` : `HTTP ${status} in ${duration_ms} ms`
}
