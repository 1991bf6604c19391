import type { ListAssetsQuery } from '@stowage/protocol'
import type { UploadStore } from './upload/store.ts'

/**
 * Throws a TypeError for a name that is not in the list, which is separated by spaces: a mistyped option or filter would
 * otherwise be ignored.
 */
export function refuseUnknown(given: object, list: string, what = 'option'): void {
  const known = list.split(' ')
  const name = Object.keys(given).find((one) => !known.includes(one))
  if (name === undefined) return
  const pairs = pairsOf(name)
  const score = (other: string) => {
    const its = pairsOf(other)
    return its.filter((pair) => pairs.includes(pair)).length / (its.length + pairs.length)
  }
  const [nearest = ''] = known.sort((one, other) => score(other) - score(one))
  const advice = score(nearest) > MIN_SCORE ? ` Did you mean “${nearest}”?` : ''
  throw new TypeError(`Unknown ${what} “${name}”.${advice} Known: ${list}`)
}

/** A name is suggested if it shares more than this with the unknown one; equal names share 0.5. */
const MIN_SCORE = 0.15

/** The pairs of neighboring letters, and the last letter. */
function pairsOf(name: string): string[] {
  return [...name.toLowerCase()].map((letter, at, all) => letter + all[at + 1])
}

/** How failed requests and parts are retried. */
export interface RetryOptions {
  /**
   * The total number of attempts of a call. Default: 5; 1 disables retries. Once the service has responded,
   * uploads, `downloadTo` and `events` use `giveUpAfterMs` instead.
   */
  tries?: number | undefined
  /**
   * The delay before the first retry, in milliseconds. Default: 500. Each following delay is twice as
   * long. Delays are randomly shortened by up to a half, and are never shorter than `Retry-After`.
   */
  firstMs?: number | undefined
  /** The longest delay, in milliseconds. Default: 20,000. `Retry-After` may ask for a longer one. */
  longestMs?: number | undefined
  /**
   * How long an upload, `downloadTo` or `events` keeps retrying without any success, in milliseconds. Default:
   * 1,800,000 (30 minutes).
   */
  giveUpAfterMs?: number | undefined
}

/** Settings of a single call. They override those of the client. */
export interface CallSettings {
  /** Aborts the call. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Retry options for this call. `{ tries: 1 }` disables retries. */
  retry?: RetryOptions | undefined
  /** The time limit for each attempt, in milliseconds. */
  timeoutMs?: number | undefined
}

/** How to reach the service. */
export interface ConnectOptions {
  /**
   * The URL of the service, such as `https://files.example`. In a browser it can also be a path on the
   * page's origin; if omitted, the page's origin is used. Required in Node.
   */
  baseUrl?: string | undefined
  /** An API key, or an upload token in a web page. Omit it if the service requires none. */
  apiKey?: string | undefined
  /** How failed requests and parts are retried. */
  retry?: RetryOptions | undefined
  /** The time limit for each attempt of a call, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
  /** Replaces the global `fetch` for calls to the service. It is not used to send parts. */
  fetch?: typeof globalThis.fetch | undefined
}

/** The options of `createClient`. */
export interface ClientOptions extends ConnectOptions {
  /**
   * The maximum number of parts that are sent at the same time, over all uploads of the client. Default:
   * starts with 4 and adapts to the connection, between 1 and 12.
   */
  parallel?: number | undefined
  /**
   * A part or `downloadTo` that makes no progress for this long is aborted and retried, in milliseconds.
   * Default: 30,000.
   */
  stallMs?: number | undefined
  /** Stores the state of unfinished uploads. Default: IndexedDB; in Node, files in `stateFolder`. */
  store?: UploadStore | undefined
}

/** The options of `download`. */
export interface DownloadOptions extends CallSettings {
  /** Downloads only the bytes from `start` up to, but not including, `end`. */
  range?: { start: number; end?: number | undefined } | undefined
  /** Downloads this version of the file. Default: the current one. */
  version?: number | undefined
}

/**
 * Selects a page of a list: its number, its length, or the cursor after which it starts. An iteration starts with this
 * page.
 */
export type PageQuery = Pick<ListAssetsQuery, 'limit' | 'page' | 'after'>
