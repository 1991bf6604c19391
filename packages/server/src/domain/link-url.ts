const MAX_LENGTH = 2048

/** What is wrong with the URL of a link, as a clause for the error message; undefined if it is valid. */
export function problemWithLinkUrl(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  // The parser would silently remove surrounding spaces and line breaks.
  if (/[\s\p{Cc}]/u.test(text) || !text.isWellFormed()) {
    return 'must not have spaces or control characters: percent-encode them'
  }
  // The parser also accepts https:a.zip and https:\\host.
  if (!/^https?:\/\/[^/\\]/i.test(text) || text.includes('\\')) {
    return 'must begin with http:// or https://, and have no backslash'
  }
  const url = URL.parse(text)
  if (url === null) return 'must be a complete URL, such as https://example.com/file.zip'
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or password'
  }
  return undefined
}
