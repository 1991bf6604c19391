const MAX_LENGTH = 255

/** The host has no address that requests may be sent to. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'

  constructor(address: string | undefined) {
    super(
      address === undefined
        ? 'The host has no IP address'
        : `The host has a private address (${address}), which STOWAGE_WEBHOOK_TARGETS does not allow`,
    )
  }
}

/** Why there was no response, for the delivery log. */
export function describeFailure(error: Error): string {
  // If all addresses of a host fail, the error contains the error of each address.
  const cause = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const text = String(cause.message || code || 'The request failed')
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_LENGTH)
}
