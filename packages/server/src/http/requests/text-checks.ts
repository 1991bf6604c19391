import { MAX_SEARCH_WORDS, type TextCheck } from '@stowage/protocol'
import { parseDuration, parseSize } from '@stowage/protocol/format'
import { problemWithPath, problemWithPathFilter } from '../../domain/asset-path.ts'
import { problemWithFilename } from '../../domain/filename.ts'
import { isPrintable } from '../../domain/is-printable.ts'
import { problemWithLinkUrl } from '../../domain/link-url.ts'
import { parseMediaType } from '../../domain/media-type.ts'
import { isMediaTypePattern } from '../../domain/media-type-pattern.ts'
import { parseOrigin } from '../../domain/origin.ts'
import { searchWords } from '../../domain/search-words.ts'
import { MAX_TOKEN_LIFETIME_MS } from '../../domain/upload-token.ts'
import { problemWithWebhookUrl } from '../../domain/webhook-url.ts'

const MEDIA_TYPE_PROBLEM = 'must be a media type such as application/zip'
const PATTERN_PROBLEM = 'must be a media type such as application/zip, or a pattern such as image/*'
const ORIGIN_PROBLEM = 'must be an origin such as https://shop.example, without a path'
const LIFETIME_PROBLEM =
  'must be a whole number of seconds from 1 to 86400, or a string such as 30m or 24h'
const SIZE_PROBLEM = 'must be a number of bytes, or a string such as 10MB or 1.5 GB'

/** What is wrong with a text, as a clause for the error message; undefined if nothing is. */
export const TEXT_CHECKS: Record<TextCheck, (text: string) => string | undefined> = {
  filename: problemWithFilename,
  'link-url': problemWithLinkUrl,
  'media-type': (text) => (parseMediaType(text) === undefined ? MEDIA_TYPE_PROBLEM : undefined),
  'media-type-pattern': (text) => (isMediaTypePattern(text) ? undefined : PATTERN_PROBLEM),
  origin: (text) => (parseOrigin(text) === undefined ? ORIGIN_PROBLEM : undefined),
  path: problemWithPath,
  'path-filter': problemWithPathFilter,
  printable: problemWithCharacters,
  search: (text) => problemWithCharacters(text) ?? problemWithWords(text),
  'webhook-url': problemWithWebhookUrl,
  size: (text) => (parseSize(text) === undefined ? SIZE_PROBLEM : undefined),
  'token-lifetime': problemWithLifetime,
}

function problemWithLifetime(text: string): string | undefined {
  const ms = parseDuration(text) ?? 0
  return ms >= 1000 && ms <= MAX_TOKEN_LIFETIME_MS ? undefined : LIFETIME_PROBLEM
}

function problemWithCharacters(text: string): string | undefined {
  return isPrintable(text) ? undefined : 'must not have control characters or lone surrogates'
}

function problemWithWords(text: string): string | undefined {
  const count = searchWords(text).length
  if (count <= MAX_SEARCH_WORDS) return undefined
  return `has ${count} different words; send at most ${MAX_SEARCH_WORDS}`
}
