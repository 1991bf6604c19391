function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/** The bucket has no rules of the requested kind: CORS or lifecycle. */
export function isNotSet(error: unknown): boolean {
  return /^NoSuch(CORS|Lifecycle)Configuration$/.test(nameOf(error))
}

/** The storage does not support such rules. */
export function isUnsupported(error: unknown): boolean {
  return /^(NotImplemented|MethodNotAllowed|InvalidArgument|MalformedXML|InvalidRequest)$/.test(
    nameOf(error),
  )
}

/** The access key may not read such rules. */
export function isForbidden(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return false
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode === 403
}
