import {
  createClient,
  isStowageError,
  type NodeClient,
  type StowageError,
} from '@stowage/client/node'
import { writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import { findLogin } from './login-file.ts'
import { type Connection, resolveConnection } from './resolve-connection.ts'

/** Every command that talks to a service takes them. */
export const CONNECTION_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const

export const CONNECTION_HELP = `  --url       the service (else STOWAGE_URL, else the login's, else http://127.0.0.1:4000)
  --key       the API key (else STOWAGE_API_KEY, else the login's); others can see it in the list
              of processes, so the variable or the login is better`

export interface ConnectionValues {
  url?: string | undefined
  key?: string | undefined
}

/** Somebody sits and waits: a service that is away is told in seconds. */
const INTERACTIVE_RETRY = { firstMs: 200, longestMs: 2_000 }

export async function readConnection(options: ConnectionValues): Promise<Connection> {
  const { env } = process
  // With an address and a key of its own, a damaged login is in nobody's way.
  const isWhole = options.url !== undefined && options.key !== undefined
  const login = isWhole ? undefined : await findLogin()
  return resolveConnection({ options, environment: env, login })
}

export function openClient({ url, key }: Connection): NodeClient {
  return createClient({ baseUrl: url, apiKey: key, retry: INTERACTIVE_RETRY })
}

/** Runs a command with a client; what the service refuses is said in a sentence. */
export async function withClient(
  options: ConnectionValues,
  work: (client: NodeClient, connection: Connection) => Promise<number>,
): Promise<number> {
  const connection = await readConnection(options)
  try {
    return await work(openClient(connection), connection)
  } catch (error) {
    throw toCommandError(error, connection)
  }
}

/** As `CommandFailed` what a user can do something about; anything else as it is. */
export function toCommandError(error: unknown, connection: Connection): unknown {
  if (!isStowageError(error)) return error
  return new CommandFailed(explain(error, connection), { cause: error })
}

/** What went wrong, and what to do about it. */
export function explain(error: StowageError, { url, key }: Connection): string {
  const { code, message, errors } = error
  if (code === 'network') {
    return `${message} For another service: stowage login, STOWAGE_URL or --url`
  }
  if (code === 'timeout') return `${url} does not answer: ${message}`
  if (code === 'bad_answer') return `${url}: ${message}`
  if (code === 'unauthenticated') {
    return key === undefined
      ? `${url} wants a key: stowage login, STOWAGE_API_KEY or --key`
      : `${url} does not take this key; it may be revoked. Another one: stowage login, STOWAGE_API_KEY or --key`
  }
  const details = Object.entries(errors).flatMap(([field, problems]) =>
    problems.map((problem) => `  ${field}: ${problem}`),
  )
  // The only line breaks are ours.
  return [message, ...details].map(sanitize).join('\n')
}

/** A key that anybody on the way can read deserves a word. */
export function warnUnencryptedKey(url: string): void {
  writeMessage(`Note: ${url} is not https: whoever is on the way can read the key.`)
}
