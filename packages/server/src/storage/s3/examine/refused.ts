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
