import type { IncomingHttpHeaders } from 'node:http'

/** An entity tag: its optional weak prefix, and its text with the quotes. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/**
 * Evaluates `If-Match` and `If-None-Match` for an existing object, in the order of RFC 9110, 13.2.2. The
 * object's own tag is strong.
 */
export function checkPreconditions(
  headers: IncomingHttpHeaders,
  etag: string,
): 'proceed' | 'failed' | 'not_modified' {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined && !matches(ifMatch, etag, { weakly: false })) return 'failed'
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, { weakly: true }))
    return 'not_modified'
  return 'proceed'
}

function matches(list: string, etag: string, { weakly }: { weakly: boolean }): boolean {
  if (list.trim() === '*') return true
  return [...list.matchAll(ENTITY_TAG)].some(
    ([, weak, tag]) => tag === etag && (weakly || weak === undefined),
  )
}
