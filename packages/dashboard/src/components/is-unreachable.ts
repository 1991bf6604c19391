import { isStowageError } from '@stowage/client'

/** Whether the service did not respond, or responded with an error that may be temporary: a retry can succeed. */
export function isUnreachable(error: unknown): boolean {
  if (!isStowageError(error)) return false
  const { code, status } = error
  return code === 'network' || code === 'timeout' || [429, 500, 502, 503, 504].includes(status)
}
