import { isPublicAddress } from '../domain/is-public-address.ts'

const MAX_LENGTH = 255

/** The host has no address that requests may be sent to. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'

  /** The message does not contain the address, because the owner of a webhook must not learn private addresses. */
  constructor(address: string | undefined) {
    super(
      address === undefined
        ? 'The host has no IP address'
        : 'The host has a private address, which STOWAGE_WEBHOOK_TARGETS does not allow',
    )
  }
}

/** Why there was no response, for the delivery log. Does not contain private addresses that a host resolves to. */
export function describeFailure(error: Error): string {
  // If all addresses of a host fail, the error contains the error of each address.
  const cause: NodeJS.ErrnoException & { address?: unknown } =
    error instanceof AggregateError ? (error.errors[0] ?? error) : error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const isPrivate = typeof cause.address === 'string' && !isPublicAddress(cause.address)
  const message = isPrivate ? `${cause.syscall ?? 'connect'} ${cause.code}` : cause.message
  const text = String(message || code || 'The request failed')
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_LENGTH)
}
