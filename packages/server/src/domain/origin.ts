/** The origin of a page, as browsers send it in `Origin`. Undefined if the text is not the URL of an origin. */
export function parseOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  // Refuse a path, a query or a fragment: it would be ignored without notice.
  return url.href === `${url.origin}/` && !/[?#]/.test(text) ? url.origin : undefined
}
