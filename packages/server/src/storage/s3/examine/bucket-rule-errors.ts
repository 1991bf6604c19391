function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/** The bucket could have such rules, and has none. */
export function isNotSet(error: unknown): boolean {
  return /^NoSuch(CORS|Lifecycle)Configuration$/.test(nameOf(error))
}

/** The store does not know such rules at all. */
export function isNotThere(error: unknown): boolean {
  return /^(NotImplemented|MethodNotAllowed|InvalidArgument|MalformedXML|InvalidRequest)$/.test(
    nameOf(error),
  )
}

/** Our key may not look at such rules. */
export function isForbidden(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return false
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode === 403
}
