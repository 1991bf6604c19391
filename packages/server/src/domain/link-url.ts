const LONGEST_ADDRESS = 2048

/** What is wrong with the address of a link, as a sentence; undefined when it is fine. */
export function problemWithLinkUrl(address: string): string | undefined {
  if (address.length > LONGEST_ADDRESS) return `must have at most ${LONGEST_ADDRESS} characters`
  // The parser drops or forgives what it should not: blanks around, line breaks inside.
  if (/[\s\p{Cc}]/u.test(address) || !address.isWellFormed()) {
    return 'must not have blanks or control characters: percent-encode them'
  }
  // The parser also takes https:a.zip and https:\\\\host for whole addresses.
  if (!/^https?:\/\/[^/\\]/i.test(address) || address.includes('\\')) {
    return 'must begin with http:// or https://, and have no backslash'
  }
  const url = URL.parse(address)
  if (url === null) return 'must be a whole address, such as https://example.com/file.zip'
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password'
  }
  return undefined
}
