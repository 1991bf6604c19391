import { EngineUnavailable } from '../../errors.ts'

/** Codes of the client and the server for temporary failures, as opposed to wrong statements. */
const OUTAGE =
  /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|08|53|57P|57014|58|XX000)/

/** Codes of Node for a TLS connection that fails, such as after the server's certificate has expired. */
const TLS_FAILURE =
  /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_CA|EPROTO)/

const COLLISION = /^(40001|40P01)$/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function isOutage(error: unknown): boolean {
  return error instanceof EngineUnavailable || OUTAGE.test(codeOf(error)) || isTlsFailure(error)
}

export function isTlsFailure(error: unknown): boolean {
  return TLS_FAILURE.test(codeOf(error))
}

/** Whether it is a deadlock or a serialization failure. The transaction was rolled back. */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error))
}

/** Turns an outage or a collision into `EngineUnavailable`. Returns any other error unchanged. */
export function toOutage(error: unknown): unknown {
  const isUnavailable = isCollision(error) || isOutage(error)
  if (!isUnavailable || error instanceof EngineUnavailable) return error
  return new EngineUnavailable('database', error)
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    codeOf(error) === '23505' &&
    error instanceof Error &&
    'constraint_name' in error &&
    error.constraint_name === constraint
  )
}
