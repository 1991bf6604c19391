import { text as readText } from 'node:stream/consumers'
import { loginFile, writeLogin } from '../connection/login-file.ts'
import {
  type Connection,
  DEFAULT_URL,
  parseKey,
  parseServiceUrl,
  sendsKeyUnencrypted,
} from '../connection/resolve-connection.ts'
import {
  CONNECTION_OPTIONS,
  openClient,
  toCommandError,
  warnUnencryptedKey,
} from '../connection/with-client.ts'
import { writeData, writeMessage } from '../output.ts'
import { isInteractive, prompt } from '../terminal/prompt.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Command, CommandFailed, readOptions, UsageError } from '../usage.ts'

export const login: Command = {
  help: `stowage login: remember a service's address and key

Usage:
  stowage login [URL] [--key KEY]

  --key       the API key. Left out: asked for on a terminal, without showing it; else read from
              standard input. An open service needs none
  --json      the account as JSON

Address and key are tried, and then kept in ~/.config/stowage/login.json (or in $XDG_CONFIG_HOME),
readable by you alone. STOWAGE_URL and STOWAGE_API_KEY, and --url and --key, come before it. A key
is never sent to another address than the one that it was given for.

Exit codes: 0 kept · 1 the service or the key is not good, nothing is kept · 2 wrong usage

Examples:
  stowage login
  stowage login https://files.example.com
  pass show stowage | stowage login https://files.example.com
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [named = values.url, ...more] = positionals
    if (more.length > 0) throw new UsageError(`one address, please, not ${positionals.join(' ')}`)
    const connection = await completed(named, values.key)
    const account = await openClient(connection)
      .account()
      .catch((error) => {
        throw toCommandError(error, connection)
      })
    await writeLogin(connection)
    if (sendsKeyUnencrypted(connection)) warnUnencryptedKey(connection.url)
    writeMessage(`Kept in ${loginFile()}`)
    const { url } = connection
    const text = `${url}, account ${sanitize(account.name)}, plan ${sanitize(account.plan.name)}`
    writeData({ url, account }, { json: values.json === true, text })
    return 0
  },
}

async function completed(url: string | undefined, key: string | undefined): Promise<Connection> {
  const canBeAsked = isInteractive()
  const address = url ?? (canBeAsked ? await askFor(`Address [${DEFAULT_URL}]: `) : '')
  const service = parseServiceUrl(address.trim() || DEFAULT_URL)
  const given =
    key ??
    (canBeAsked
      ? await askFor('Key (nothing for an open service): ', { hidden: true })
      : await readText(process.stdin))
  return { url: service, key: parseKey(given, 'the key') }
}

async function askFor(question: string, options?: { hidden: boolean }): Promise<string> {
  const answer = await prompt(question, options)
  if (answer === undefined) throw new CommandFailed('nothing is kept')
  return answer
}
