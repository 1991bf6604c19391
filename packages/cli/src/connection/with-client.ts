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

/** The options of every command that uses a service. */
export const CONNECTION_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const

export const CONNECTION_HELP = `  --url         the URL of the service (default: STOWAGE_URL, then the saved login, then
                http://127.0.0.1:4000)
  --key         the API key (default: STOWAGE_API_KEY, then the saved login). Other users of this
                machine can see it in the process list: prefer the variable or the login`

export interface ConnectionValues {
  url?: string | undefined
  key?: string | undefined
}

/** A person is waiting: an unreachable service is reported within seconds. */
const INTERACTIVE_RETRY = { firstMs: 200, longestMs: 2_000 }

export async function readConnection(options: ConnectionValues): Promise<Connection> {
  const { env } = process
  // With both options, the login is not needed, and a damaged one does no harm.
  const isComplete = options.url !== undefined && options.key !== undefined
  const login = isComplete ? undefined : await findLogin()
  return resolveConnection({ options, environment: env, login })
}

export function openClient({ url, key }: Connection): NodeClient {
  return createClient({ baseUrl: url, apiKey: key, retry: INTERACTIVE_RETRY })
}

/** Calls `work` with a client. Errors of the service become `CommandFailed`. */
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

/** Turns an error of the service into `CommandFailed`, and returns any other error as it is. */
export function toCommandError(error: unknown, connection: Connection): unknown {
  if (!isStowageError(error)) return error
  return new CommandFailed(explain(error, connection), { cause: error })
}

/** Describes what happened and what to do. */
export function explain(error: StowageError, { url, key }: Connection): string {
  const { code, message, errors } = error
  if (code === 'network') {
    return `${message} To use another service, run stowage login, set STOWAGE_URL or pass --url.`
  }
  if (code === 'timeout') return `${url} does not respond: ${message}`
  if (code === 'bad_answer') return `${url}: ${message}`
  if (code === 'unauthenticated') {
    return key === undefined
      ? `${url} requires a key. Run stowage login, set STOWAGE_API_KEY or pass --key.`
      : `${url} rejected the key. It may be revoked. Run stowage login, set STOWAGE_API_KEY or pass --key to use another one.`
  }
  const details = Object.entries(errors).flatMap(([field, problems]) =>
    problems.map((problem) => `  ${field}: ${problem}`),
  )
  // Sanitized one by one, so that the only line breaks are ours.
  return [message, ...details].map(sanitize).join('\n')
}

export function warnUnencryptedKey(url: string): void {
  writeMessage(`Note: ${url} does not use HTTPS. The key is sent unencrypted.`)
}
